import * as NodeServices from "@effect/platform-node/NodeServices"
import { Souffleur } from "@souffleur/embed"
import { Console, Effect, FileSystem, Schedule, Stream } from "effect"
import { strictEqual } from "node:assert"
import { scribe } from "./ScribeKind.ts"

/** A night in which the first scribe is killed after two of five parts. */
const night = Effect.fn("night")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const souffleur = yield* Souffleur
  const parts = (session: string) =>
    Effect.map(
      Effect.orElseSucceed(fs.readFileString(`${folder}/agent/sessions/${session}.jsonl`), () => ""),
      (text) => text.split("\n").filter((line) => line.includes('"part"')).length
    )

  const watch = yield* souffleur.run({ project: folder, command: ["scribe", "Write a story."] })
  yield* watch.events.pipe(
    Stream.filter(({ event }) => event._tag.startsWith("Conductor")),
    Stream.runForEach(({ event }) =>
      Effect.gen(function* () {
        yield* Console.log(event._tag)
        if (event._tag !== "ConductorConfirmed") return
        const { conductor, sessionId } = event
        yield* Effect.repeat(parts(sessionId), {
          until: (count) => count === 2,
          schedule: Schedule.spaced("50 millis")
        })
        process.kill(conductor.pid, "SIGKILL")
      })
    ),
    Effect.forkScoped
  )
  const { end, generation, sessions } = yield* watch.awaitEnd
  const counts = yield* Effect.forEach(sessions, parts)
  return `${end} in generation ${generation}, with ${counts.join(" and ")} parts`
}, Effect.scoped)

const program = Effect.gen(function* () {
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "scribe-" })
  const environment = { ...process.env, SCRIBE_DIR: `${folder}/agent` }
  // A scribe cannot go on in its session, so its successor reads the export.
  const settings = { recovery: "export" } as const
  const souffleur = Souffleur.layerNode({ stateDir: `${folder}/state`, agent: scribe, environment, settings })
  const ended = yield* Effect.provide(night(folder), souffleur)
  yield* Console.log(ended)
  strictEqual(ended, "unconfirmed in generation 2, with 2 and 3 parts")
})
await Effect.runPromise(program.pipe(Effect.provide(NodeServices.layer), Effect.scoped))
