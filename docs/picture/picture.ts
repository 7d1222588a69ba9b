import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import { drawing } from "./Night.ts"

/**
 * `pnpm picture`: runs the demonstration on real processes, and draws its event log as `night.svg`, the picture in the
 * README.
 */
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const souffleur = file("../../packages/cli/src/main.ts")

const Line = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ _tag: Schema.String, at: Schema.String }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

const main = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const home = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-picture-" })
  const run = (args: ReadonlyArray<string>, more = {}) =>
    spawner.string(
      ChildProcess.make(process.execPath, [souffleur, ...args], { env: { HOME: home, ...more }, extendEnv: true })
    )

  const story = yield* run(["demo"])
  const log = /^The log: +(.+)\/souffleur\.db$/mu.exec(story)?.[1]
  if (log === undefined) return yield* Effect.die(new Error(`the demonstration did not come to its end:\n${story}`))
  const printed = yield* run(["log", "--all", "--json"], { SOUFFLEUR_STATE_DIR: log })
  const lines = yield* Effect.forEach(printed.trim().split("\n"), (line) => Schema.decodeEffect(Line)(line))
  const events = lines.map(({ _tag, at, ...more }) => ({ _tag, at: Date.parse(at), more }))
  yield* fs.writeFileString(file("night.svg"), drawing(events))
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
NodeRuntime.runMain(main)
