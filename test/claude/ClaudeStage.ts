import { spawnSync } from "node:child_process"
import { Effect, Path, Ref, Scope, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inTime, type Lab, until } from "./Lab.ts"

/** Where a Conductor and souffleur run. */
export interface Stage {
  /** Starts the first Conductor; its pid. */
  readonly conductor: (sessionId: string, prompt: string) => Effect.Effect<number>
  readonly souffleur: (args: ReadonlyArray<string>) => Effect.Effect<{
    /** The words that it has said so far. */
    readonly said: Effect.Effect<string>
    readonly exitCode: Effect.Effect<number>
  }>
  /** Types to the first Conductor as a person does, where there is a terminal: keys as tmux names them. */
  readonly type: (...keys: ReadonlyArray<string>) => Effect.Effect<void>
}

/** A window with an agent beside the first Conductor. */
export interface AgentWindow {
  readonly pid: number
  /** The words on its screen. */
  readonly said: Effect.Effect<string>
  readonly type: Stage["type"]
}

/** A stage with windows. */
export interface Windows extends Stage {
  /** Starts another agent in a window of its own, with these arguments. */
  readonly agent: (...args: ReadonlyArray<string>) => Effect.Effect<AgentWindow>
  /** Ends the terminal, with every window. */
  readonly end: Effect.Effect<void>
}

/** Flags of what the user lets the first Conductor do. */
const allowed = ["--permission-mode", "acceptEdits", "--allowedTools=Bash"]

/** No terminal: children of the test, the agent in print mode. */
export const headless = Effect.fn("Stage.headless")(function* (
  lab: Pick<Lab, "claude" | "options"> & { readonly souffleur: readonly [string, ...ReadonlyArray<string>] }
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const scope = yield* Effect.scope
  const start = ([program, ...args]: readonly [string, ...ReadonlyArray<string>]) =>
    Effect.gen(function* () {
      const handle = yield* spawner.spawn(ChildProcess.make(program, args, lab.options))
      const said = yield* Ref.make("")
      yield* Effect.forkScoped(
        Stream.runForEach(Stream.decodeText(handle.all), (text) => Ref.update(said, (before) => before + text))
      )
      return {
        pid: handle.pid,
        said: Ref.get(said),
        exitCode: inTime("the end of souffleur", Ref.get(said))(Effect.orDie(handle.exitCode))
      }
    }).pipe(Effect.provideService(Scope.Scope, scope), Effect.orDie)
  return {
    conductor: (sessionId, prompt) =>
      Effect.map(start([lab.claude, "--session-id", sessionId, "-p", ...allowed, "--", prompt]), ({ pid }) => pid),
    souffleur: (args) => start([...lab.souffleur, ...args]),
    type: () => Effect.die("nobody can type where there is no terminal")
  } satisfies Stage as Stage
})

/** Where there is no tmux, what needs it is skipped. */
export const tmuxMissing = spawnSync("tmux", ["-V"]).status !== 0

/** The size of a terminal. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Starts a tmux server of the test's own, with all in windows of one session. The agent is as a person sees it. */
export const tmux = Effect.fn("Stage.tmux")(function* (lab: Lab, { columns, rows }: Size = { columns: 180, rows: 50 }) {
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  // Its socket goes with the lab's folder.
  const options = { ...lab.options, env: { ...lab.options.env, TMUX_TMPDIR: path.dirname(lab.home) } }
  const ask = (...args: ReadonlyArray<string>) =>
    spawner.string(ChildProcess.make("tmux", ["-L", "stage", "-f", "/dev/null", ...args], options)).pipe(
      Effect.map((text) => text.trimEnd()),
      Effect.orDie
    )
  // A pane that has ended stays, so that a test can tell what was said in it.
  yield* ask(
    "new-session",
    "-d",
    "-s",
    "stage",
    "-x",
    String(columns),
    "-y",
    String(rows),
    "sleep",
    "300",
    ";",
    "set-option",
    "-g",
    "remain-on-exit",
    "on"
  )
  yield* Effect.addFinalizer(() => ask("kill-server"))
  const open = (format: string, line: ReadonlyArray<string>) =>
    ask("new-window", "-d", "-P", "-F", format, "-t", "stage:", "-c", lab.project, "--", ...line)
  // tmux 3.3 does not always know how a pane ended: a shell around it writes it down.
  const ended = path.join(path.dirname(lab.home), "ended")
  const noting = ["/bin/sh", "-c", '"$@"; echo "=$?" > "$0"', ended]
  const code = lab.read(ended).pipe(
    Effect.map((text) => /^=(\d+)\n/.exec(text)?.[1]),
    Effect.orElseSucceed(() => undefined)
  )
  return {
    conductor: (sessionId, prompt) =>
      Effect.map(open("#{pane_pid}", [lab.claude, "--session-id", sessionId, ...allowed, "--", prompt]), Number),
    souffleur: (args) =>
      Effect.map(open("#{pane_id}", [...noting, ...lab.souffleur, ...args]), (pane) => ({
        said: ask("capture-pane", "-p", "-J", "-S", "-", "-t", pane),
        exitCode: until(
          "the end of souffleur",
          Effect.map(code, (found) => found !== undefined)
        ).pipe(Effect.andThen(code), Effect.map(Number))
      })),
    type: (...keys) => Effect.asVoid(ask("send-keys", "-t", "stage:1", ...keys)),
    end: Effect.asVoid(ask("kill-server")),
    agent: (...args) =>
      Effect.map(open("#{pane_id} #{pane_pid}", [lab.claude, ...args]), (words) => {
        const [pane = "", pid] = words.split(" ")
        return {
          pid: Number(pid),
          said: ask("capture-pane", "-p", "-J", "-S", "-", "-t", pane),
          type: (...keys: ReadonlyArray<string>) => Effect.asVoid(ask("send-keys", "-t", pane, ...keys))
        }
      })
  } satisfies Windows as Windows
})
