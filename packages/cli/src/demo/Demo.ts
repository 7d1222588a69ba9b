import { CommsSchema } from "@souffleur/comms"
import { EventLog, type Recorded, type WatchEvent } from "@souffleur/domain"
import { SqliteClient } from "@souffleur/node"
import { Console, Effect, FileSystem, Path, Random, Schedule, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { settingsOf, store } from "../App.ts"
import { Environment } from "../Environment.ts"
import { paint } from "../Telling.ts"

/** The demonstration did not come to its end; `why` is a sentence. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { why: Schema.String }) {}

/** A second or so in place of minutes (cli.md, settings). */
export const timings = {
  SOUFFLEUR_WATCHER_INITIAL_WAIT: "1 second",
  SOUFFLEUR_WATCHER_INTERVAL: "500 millis",
  SOUFFLEUR_HEARTBEAT_STALE_AFTER: "4 seconds",
  SOUFFLEUR_MONITOR_INITIAL_WAIT: "2 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "1500 millis",
  SOUFFLEUR_MONITOR_STALE_AFTER: "1500 millis",
  SOUFFLEUR_STOP_GRACE: "2 seconds",
  SOUFFLEUR_LAUNCHER: "headless"
}

const tasks = ["stage", "lights", "prompt-book", "curtain"].map((name, n) => ({
  id: `task-0${n + 1}`,
  file: `${name}.txt`,
  text: `The ${name} is ready.\n`,
  millis: 900
}))

/** Words that nobody would guess: whoever says the right one has read it. */
const stageWords = ["aubergine", "barnacle", "chandelier", "dromedary", "eglantine", "flotsam", "gossamer", "harlequin"]

/** Fails loudly when what it waits for does not come. */
export const within = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: "30 seconds",
    orElse: () => Effect.fail(new DemoFailed({ why: `${what} did not happen in 30 seconds` }))
  })

const exists = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(file)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (yes) => yes }),
    Effect.orDie
  )

/**
 * The main job on real processes, narrated: an agent works, dies by SIGKILL in mid-work, and souffleur brings it back with
 * its conversation, although souffleur itself is killed in the middle of that. Everything stays in one temporary folder.
 */
export const demo = Effect.fn("Demo")(function* () {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const { colour, self, variables } = yield* Environment
  const brush = paint(colour)
  const say = (text: string) => Console.log(`${brush("yellow", "▸")} ${text}`)
  const detail = (text: string) => Console.log(brush("dim", `    ${text}`))

  const home = yield* fs.realPath(yield* fs.makeTempDirectory({ prefix: "souffleur-demo-" }))
  const project = path.join(home, "opera")
  yield* fs.makeDirectory(project)
  yield* fs.writeFileString(path.join(project, "plan.json"), JSON.stringify({ tasks }, null, 2))
  yield* Effect.provide(CommsSchema.init(path.join(project, "comms.db")), SqliteClient.layerSqlite)
  const environment = {
    ...variables,
    ...timings,
    SOUFFLEUR_STATE_DIR: path.join(home, "state"),
    SOUFFLEUR_CLAUDE_DIR: path.join(home, "claude"),
    CLAUDE_CONFIG_DIR: path.join(home, "claude"),
    SOUFFLEUR_AGENT_COMMAND: JSON.stringify([...self, "__stand-in"])
  }
  const [program, ...first] = self
  const start = (args: ReadonlyArray<string>) =>
    ChildProcess.make(program, [...first, ...args], { cwd: project, env: environment, extendEnv: false, stdin: "ignore" })

  const word = yield* Effect.orDie(Random.choice(stageWords))
  const sessionId = "5c0ff1e0-0000-4000-8000-000000000001"
  yield* say(`A Conductor (S1) starts on a plan of ${tasks.length} tasks, in ${project}`)
  yield* detail(`only its conversation knows the stage word: "${word}"`)
  const conductor = yield* start([
    "__stand-in",
    "--session-id",
    sessionId,
    "--permission-mode",
    "acceptEdits",
    "-p",
    "--",
    `Work on the plan. The stage word is ${word}.`
  ])
  yield* within("the first session file", exists(path.join(home, "claude", "sessions", `${conductor.pid}.json`)))

  const settings = yield* settingsOf(project).pipe(Effect.provideService(Environment, { ...(yield* Environment), variables: environment }))
  const souffleur = (args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const handle = yield* start(["watch", ...args])
      yield* Effect.forkScoped(
        handle.stdout.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.runForEach((line) => detail(line))
        )
      )
      yield* Effect.forkScoped(
        handle.stderr.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.runForEach((line) => detail(line))
        )
      )
      return handle
    })
  yield* say(`souffleur watches it: pid ${conductor.pid}, timings of a second instead of minutes`)
  const one = yield* souffleur(["--pid", String(conductor.pid), "--session-id", sessionId])
  const ended = yield* Effect.gen(function* () {
    const log = yield* EventLog
    const id = yield* Effect.map(log.streams, ([id]) => id).pipe(
      Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (id) => id !== undefined })
    )
    const until = (what: string, found: (event: WatchEvent) => boolean): Effect.Effect<Recorded, DemoFailed> =>
      within(
        what,
        log.changes(id!, 0).pipe(
          Stream.filter(({ event }) => found(event)),
          Stream.runHead,
          Effect.flatMap(Effect.fromOption),
          Effect.orDie
        )
      )

    yield* until("watching", ({ _tag }) => _tag === "WatchSettled")
    yield* within("the second task", exists(path.join(project, tasks[1]!.file)))
    yield* say(`Two tasks are done. S1 is killed in the third: kill -9 ${conductor.pid}`)
    yield* conductor.kill({ killSignal: "SIGKILL" })

    yield* until("the recovery", ({ _tag }) => _tag === "StepSucceeded")
    yield* say(`And souffleur itself, in the middle of the recovery: kill -9 ${one.pid}`)
    yield* one.kill({ killSignal: "SIGKILL" })
    yield* say("souffleur is started again; the log says where it stands")
    const two = yield* souffleur([])
    const relaunched = yield* until("the successor", ({ _tag }) => _tag === "ConductorRelaunched")
    if (relaunched.event._tag === "ConductorRelaunched")
      yield* say(`S2 runs: pid ${relaunched.event.conductor.pid}. It reads the export of S1, and goes on with what is not done`)
    yield* until("completion", ({ _tag }) => _tag === "ConductorCompleted")
    const code = yield* within("the end of souffleur", two.exitCode)
    return { id, code, relaunched: relaunched.event }
  }).pipe(Effect.provide(store(settings)))

  const successor = ended.relaunched._tag === "ConductorRelaunched" ? ended.relaunched.sessionId : ""
  const files = yield* fs.readDirectory(path.join(home, "claude", "projects"), { recursive: true })
  const session = files.find((file) => file.includes(successor))
  const said = session === undefined ? "" : yield* fs.readFileString(path.join(home, "claude", "projects", session))
  const proof = `I have read the export: the stage word is ${word}`
  if (!said.includes(proof)) return yield* new DemoFailed({ why: "the successor does not know the stage word" })
  if (ended.code !== 0) return yield* new DemoFailed({ why: `souffleur ended with ${ended.code}` })
  yield* say(`S2 said: ${brush("green", `"${proof}."`)}`)
  yield* say(brush("green", "The plan is complete, and souffleur ended with 0. One Conductor at a time, and no work lost."))
  const command = self.at(-1)!.endsWith(".ts") ? "npx --yes pnpm@12.21.0 souffleur" : "souffleur"
  yield* Console.log(
    [
      "",
      `The log:   ${path.join(home, "state", "souffleur.db")}`,
      "Try next:",
      `  export SOUFFLEUR_STATE_DIR=${path.join(home, "state")}`,
      `  ${command} status`,
      `  ${command} log ${ended.id}`,
      `  ${command} state ${ended.id} --at 12`,
      `  ${command} watch --help`
    ].join("\n")
  )
}, Effect.scoped)
