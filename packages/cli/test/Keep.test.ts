import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { loadSettings } from "@souffleur/domain"
import { command } from "@souffleur/supervisor"
import { Effect, FileSystem } from "effect"
import { store } from "../src/App.ts"
import { keep } from "../src/doctor/Keep.ts"

it.live("what souffleur keeps: watches that have ended too, by which comms is judged", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const home = yield* files.makeTempDirectoryScoped()
    const environment = { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
    const settings = yield* loadSettings({ projectDir: home, environment, flags: {} })
    assert.deepStrictEqual((yield* keep(settings)).watches, [])
    yield* Effect.gen(function* () {
      const open = { _tag: "Open", project: home, comms: `${home}/board.db`, observe: false, pid: 4_190_000, sessionId: "s" } as const
      yield* command("ended-0001", open)
      yield* command("ended-0001", { _tag: "Release" })
    }).pipe(Effect.provide(store(settings)))
    const { findings, watches } = yield* keep(settings)
    assert.deepStrictEqual(
      watches.map(({ id, watch }) => [id, watch.end]),
      [["ended-0001", "released"]]
    )
    assert.isEmpty(
      findings.filter(({ check }) => check.startsWith("watch")),
      "nobody needs to look after it"
    )
  }).pipe(Effect.provide(NodeServices.layer))
)
