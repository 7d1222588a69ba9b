import { Console, Effect, FileSystem, Path, Schedule, Schema, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import { agentKind } from "../agent/Kind.ts"
import { pidFile } from "../agent/StandInAgent.ts"
import { Installation, settingsOf } from "@souffleur/embed/internal"
import { Environment } from "../world/CommandEnvironment.ts"
import { paint } from "../Printing.ts"

/** The demonstration did not come to its end. `message` is a sentence. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { message: Schema.String }) {}

/**
 * Times of about a second in place of minutes (spec: settings#keys). The limits of a stale heartbeat stay long, so that
 * a busy machine causes no recovery.
 */
const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  SOUFFLEUR_HEARTBEAT_STALE_AFTER: "60 seconds",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "5 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "5 seconds",
  SOUFFLEUR_MONITOR_STALE_AFTER: "20 seconds",
  SOUFFLEUR_STOP_GRACE: "2 seconds",
  SOUFFLEUR_LAUNCHER: "headless"
}

/**
 * Waits until a process has brought something about. Fails with `DemoFailed` 20 seconds after the process has ended,
 * and after 5 minutes in any case. The limits are long because a busy machine is slow.
 */
export const broughtBy = <A, E, R>(
  who: ChildProcessSpawner.ChildProcessHandle,
  what: string,
  effect: Effect.Effect<A, E, R>
) => {
  const failed = (why: string) => () => Effect.fail(new DemoFailed({ message: `${what} did not happen${why}` }))
  const atItsEnd = Effect.andThen(
    Effect.exit(who.exitCode),
    Effect.timeoutOrElse(effect, { duration: "20 seconds", orElse: failed(`: pid ${who.pid} has ended`) })
  )
  return Effect.timeoutOrElse(Effect.raceFirst(effect, atItsEnd), {
    duration: "5 minutes",
    orElse: failed(" in 5 minutes")
  })
}

/** Waits for the first line that a process prints. */
export const firstLine = (handle: ChildProcessSpawner.ChildProcessHandle) =>
  handle.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runHead,
    Effect.flatMap(Effect.fromOption),
    Effect.orDie
  )

/** Waits for the end of a command, and returns its lines and its exit code. */
export const toldBy = Effect.fnUntraced(function* (handle: ChildProcessSpawner.ChildProcessHandle) {
  const text = Stream.mkString(Stream.decodeText(Stream.merge(handle.stdout, handle.stderr)))
  const ended = Effect.all([text, handle.exitCode], { concurrency: 2 })
  const [said, code] = yield* broughtBy(handle, "the end of a command", Effect.orDie(ended))
  return { lines: said.trim().split("\n"), code }
})

/** Waits until a file exists. */
export const exists = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(file)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (yes) => yes }),
    Effect.orDie
  )

/**
 * Makes a temporary folder with a project, a state folder and an agent's folder. Returns the functions that tell the
 * scene and start souffleur in it.
 */
export const makeScene = Effect.fn("makeScene")(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const here = yield* Environment
  const installation = yield* Installation
  const { colour, self, variables } = here
  const brush = paint(colour)
  const home = yield* fs.makeTempDirectory({ prefix: "souffleur-demo-" }).pipe(
    Effect.flatMap(fs.realPath),
    Effect.mapError(
      ({ message }) => new DemoFailed({ message: `no folder for it can be made: set TMPDIR (${message})` })
    )
  )
  const project = path.join(home, "opera")
  yield* fs.makeDirectory(project)
  const agentFolder = path.join(home, "agent")
  const held = (name: string) => path.join(agentFolder, "craft", `${name}.held`)
  yield* fs.makeDirectory(path.dirname(held("")), { recursive: true, mode: 0o700 })
  const [program, ...first] = self
  const agentProgram = path.join(home, "agent-program")
  const install = Effect.andThen(fs.remove(agentProgram, { force: true }), fs.symlink(program, agentProgram))
  yield* install
  const environment = {
    ...variables,
    ...timings,
    SOUFFLEUR_STATE_DIR: path.join(home, "state"),
    ...Object.fromEntries(agentKind.folder.variables.map((name) => [name, agentFolder])),
    SOUFFLEUR_AGENT_COMMAND: JSON.stringify([agentProgram, ...first, "__stand-in"])
  }
  /** Runs an effect of this process as the commands of the scene run. */
  const within = Effect.provideService(Installation, { ...installation, variables: environment })
  const command = self.at(-1)!.endsWith(".ts") ? "npx --yes pnpm@12.21.0 souffleur" : "souffleur"
  const lines = (printed: ChildProcessSpawner.ChildProcessHandle["stdout"], before: string) =>
    Effect.forkScoped(
      printed.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach((line) => Console.log(brush("dim", `    ${before}${line}`)))
      )
    )
  return {
    home,
    /** The folder of the agent's session files. */
    sessions: path.join(agentFolder, agentKind.sessions),
    project,
    brush,
    say: (text: string) => Console.log(`${brush("yellow", "▸")} ${text}`),
    /** The pid file, by which an agent says that it has started. */
    pidFile: (pid: number) => path.join(agentFolder, ...pidFile(pid)),
    /** Replaces the agent's program by one that this host cannot run, as a bad update does. `install` puts it back. */
    spoil: Effect.andThen(
      fs.remove(agentProgram),
      fs.writeFileString(agentProgram, "#!/opt/node/of/the/update\n", { mode: 0o755 })
    ),
    install,
    /** Makes an agent that comes to this point wait there, alive, until `release`. */
    hold: (name: string) => fs.writeFileString(held(name), ""),
    release: (name: string) => fs.remove(held(name)),
    detail: (text: string) => Console.log(brush("dim", `    ${text}`)),
    start: (args: ReadonlyArray<string>) =>
      ChildProcess.make(program, [...first, ...args], {
        cwd: project,
        env: environment,
        extendEnv: false,
        stdin: "ignore"
      }),
    /** Prints each line of a process behind `before`. */
    tells: (handle: ChildProcessSpawner.ChildProcessHandle, before = "") =>
      Effect.all([lines(handle.stdout, before), lines(handle.stderr, before)], { discard: true }),
    settings: within(settingsOf(project)),
    within,
    /** Returns the commands to try next, as lines. */
    next: (...commands: ReadonlyArray<string>) =>
      [
        // An export would hide the person's own watches from each later command of that shell.
        "Try next:",
        ...commands.map((words) => `  SOUFFLEUR_STATE_DIR=${path.join(home, "state")} ${command} ${words}`)
      ].join("\n")
  }
})
