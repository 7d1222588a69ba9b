import { Console, Effect, FileSystem, Path, Schema, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import { settingsOf } from "../App.ts"
import { Environment } from "../Environment.ts"
import { paint } from "../Printing.ts"

/** The demonstration did not come to its end; `why` is a sentence. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { why: Schema.String }) {}

/** A second or so in place of minutes (cli.md, settings). */
const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  SOUFFLEUR_HEARTBEAT_STALE_AFTER: "4 seconds",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "2 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "1500 millis",
  SOUFFLEUR_MONITOR_STALE_AFTER: "1500 millis",
  SOUFFLEUR_STOP_GRACE: "2 seconds",
  SOUFFLEUR_LAUNCHER: "headless"
}

/** Fails loudly when what it waits for does not come. */
export const within = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: "30 seconds",
    orElse: () => Effect.fail(new DemoFailed({ why: `${what} did not happen in 30 seconds` }))
  })

/** A temporary folder with a project, a state folder and an agent's folder of its own; who tells what happens there, and how souffleur starts. */
export const makeScene = Effect.fn("Demo.scene")(function* () {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const here = yield* Environment
  const { colour, self, variables } = here
  const brush = paint(colour)
  const home = yield* fs.realPath(yield* fs.makeTempDirectory({ prefix: "souffleur-demo-" }))
  const project = path.join(home, "opera")
  yield* fs.makeDirectory(project)
  const environment = {
    ...variables,
    ...timings,
    SOUFFLEUR_STATE_DIR: path.join(home, "state"),
    SOUFFLEUR_CLAUDE_DIR: path.join(home, "claude"),
    CLAUDE_CONFIG_DIR: path.join(home, "claude"),
    SOUFFLEUR_AGENT_COMMAND: JSON.stringify([...self, "__stand-in"])
  }
  const [program, ...first] = self
  const command = self.at(-1)!.endsWith(".ts") ? "npx --yes pnpm@12.21.0 souffleur" : "souffleur"
  const lines = (told: ChildProcessSpawner.ChildProcessHandle["stdout"], before: string) =>
    Effect.forkScoped(
      told.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) => Console.log(brush("dim", `    ${before}${line}`)))
      )
    )
  return {
    home,
    project,
    brush,
    say: (text: string) => Console.log(`${brush("yellow", "▸")} ${text}`),
    detail: (text: string) => Console.log(brush("dim", `    ${text}`)),
    start: (args: ReadonlyArray<string>) =>
      ChildProcess.make(program, [...first, ...args], { cwd: project, env: environment, extendEnv: false, stdin: "ignore" }),
    /** What a process says, each line behind `before`. */
    tells: (handle: ChildProcessSpawner.ChildProcessHandle, before = "") =>
      Effect.all([lines(handle.stdout, before), lines(handle.stderr, before)], { discard: true }),
    settings: Effect.provideService(settingsOf(project), Environment, { ...here, variables: environment }),
    /** What there is to try next, as lines. */
    next: (...commands: ReadonlyArray<string>) =>
      ["Try next:", `  export SOUFFLEUR_STATE_DIR=${path.join(home, "state")}`, ...commands.map((words) => `  ${command} ${words}`)].join(
        "\n"
      )
  }
})
