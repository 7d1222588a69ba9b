import { CommsSchema } from "@souffleur/comms"
import { EventLog, freshUuid, type Recorded, type WatchEvent } from "@souffleur/domain"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Path, Random, Schedule, Stream } from "effect"
import { argumentsOf } from "../agent/StandInAgent.ts"
import { layerStore } from "@souffleur/embed/internal"
import { printLines } from "../Printing.ts"
import { broughtBy, DemoFailed, exists, makeScene } from "./Scene.ts"

const tasks = ["stage", "lights", "prompt-book", "curtain"].map((name, n) => ({
  id: `task-0${n + 1}`,
  file: `${name}.txt`,
  text: `The ${name} is ready.\n`,
  millis: 900
}))

/** Words that are hard to guess: an agent that says the right one has read it. */
const stageWords = ["aubergine", "barnacle", "chandelier", "dromedary", "eglantine", "flotsam", "gossamer", "harlequin"]

/**
 * Plays the main job on real processes, with a narration. An agent works, and SIGKILL ends it during its work.
 * souffleur brings it back with its conversation, although souffleur itself is killed during that recovery. Everything
 * stays in one temporary folder. Fails with `DemoFailed` when an act does not happen.
 */
export const demo = Effect.fn("demo")(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { brush, detail, hold, home, next, pidFile, project, release, say, sessions, settings, start, tells } =
    yield* makeScene()
  yield* fs.writeFileString(path.join(project, "plan.json"), JSON.stringify({ tasks }, null, 2))
  yield* Effect.provide(CommsSchema.init(path.join(project, "comms.db")), SqliteClient.layerSqlite)

  const word = yield* Effect.orDie(Random.choice(stageWords))
  // Claims are of the user, so that two demos at once need two sessions.
  const sessionId = yield* freshUuid
  yield* say(`A Conductor (S1) starts on a plan of ${tasks.length} tasks, in ${project}`)
  yield* detail(`only its conversation knows the stage word: "${word}"`)
  // S1 waits in its third task until it is killed. S2 waits there until the demo has seen it. The hold works on a slow
  // machine too.
  yield* hold(tasks[2]!.id)
  const prompt = `Work on the plan. The stage word is ${word}.`
  const conductor = yield* start(["__stand-in", ...argumentsOf(sessionId, prompt)])
  yield* broughtBy(conductor, "the first session file", exists(pidFile(conductor.pid)))

  const souffleur = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
    const handle = yield* start(["watch", ...args])
    yield* tells(handle)
    return handle
  })
  yield* say(`souffleur watches it: pid ${conductor.pid}, timings of a second instead of minutes`)
  const one = yield* souffleur(["--pid", String(conductor.pid), "--session-id", sessionId])
  const ended = yield* Effect.gen(function* () {
    const log = yield* EventLog
    const id = yield* broughtBy(
      one,
      "the watch",
      Effect.map(log.streams, ([id]) => id).pipe(
        Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (id) => id !== undefined })
      )
    )
    const until = (
      who: typeof one,
      what: string,
      found: (event: WatchEvent) => boolean
    ): Effect.Effect<Recorded, DemoFailed> =>
      broughtBy(
        who,
        what,
        log.changes(id!, 0).pipe(
          Stream.filter(({ event }) => found(event)),
          Stream.runHead,
          Effect.flatMap(Effect.fromOption),
          Effect.orDie
        )
      )

    yield* until(one, "watching", ({ _tag }) => _tag === "WatchSettled")
    yield* broughtBy(conductor, "the second task", exists(path.join(project, tasks[1]!.file)))
    yield* say(`Two tasks are done. S1 is killed in the third: kill -9 ${conductor.pid}`)
    yield* conductor.kill({ killSignal: "SIGKILL" })

    yield* until(one, "the recovery", ({ _tag }) => _tag === "StepSucceeded")
    yield* say(`And souffleur itself, in the middle of the recovery: kill -9 ${one.pid}`)
    yield* one.kill({ killSignal: "SIGKILL" })
    yield* say("souffleur is started again; it reads its state from the log")
    const two = yield* souffleur([])
    const relaunched = yield* until(two, "the successor", ({ _tag }) => _tag === "ConductorRelaunched")
    if (relaunched.event._tag === "ConductorRelaunched")
      yield* say(
        `S2 runs: pid ${relaunched.event.conductor?.pid}. It reads the export of S1, and goes on with what is not done`
      )
    yield* release(tasks[2]!.id)
    yield* until(two, "completion", ({ _tag }) => _tag === "ConductorCompleted")
    const code = yield* broughtBy(two, "the end of souffleur", two.exitCode)
    return { id, code, relaunched: relaunched.event }
  }).pipe(Effect.provide(layerStore(yield* settings)))

  const successor = ended.relaunched._tag === "ConductorRelaunched" ? ended.relaunched.sessionId : ""
  const files = yield* fs.readDirectory(sessions, { recursive: true })
  const session = files.find((file) => file.includes(successor))
  const said = session === undefined ? "" : yield* fs.readFileString(path.join(sessions, session))
  const proof = `I have read the export: the stage word is ${word}`
  if (!said.includes(proof)) return yield* new DemoFailed({ message: "the successor does not know the stage word" })
  if (ended.code !== 0) return yield* new DemoFailed({ message: `souffleur ended with ${ended.code}` })
  yield* say(`S2 said: ${brush("green", `"${proof}."`)}`)
  yield* say(
    brush("green", "The plan is complete, and souffleur ended with 0. One Conductor at a time, and no work lost.")
  )
  yield* printLines(`\nThe log:   ${path.join(home, "state", "souffleur.db")}`)
  yield* printLines(next("status", `log ${ended.id}`, `state ${ended.id} --at 12`, "watch --help"))
}, Effect.scoped)
