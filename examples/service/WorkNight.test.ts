import { afterAll, assert, it } from "@effect/vitest"
import { Parts, Souffleur } from "@souffleur/embed"
import { HostServices } from "@souffleur/node"
import { NoticeChannels } from "@souffleur/process"
import { fakeKind, FakeWorld, passes, untilDone, untilEvent } from "@souffleur/testing"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { database, Work } from "./Work.ts"

const folder = mkdtempSync(join(tmpdir(), "work-"))
afterAll(() => rmSync(folder, { recursive: true }))

it.effect(
  "a job that dies three times in a night, and waits for a limit of three hours, is done by the morning",
  () => {
    const world = new FakeWorld({ begins: Date.UTC(2026, 0, 5, 22) })
    const { conductor } = world
    // A folder is there once a file is in it.
    world.files.write("/srv/night/README.md", "A job for the night")
    const told: Array<string> = []
    const channels = Layer.succeed(NoticeChannels, [
      { name: "test", words: false, send: ({ notice }) => Effect.sync(() => void told.push(notice.kind)) }
    ])
    const souffleur = Souffleur.layer.pipe(
      Layer.provide(Parts.layerFixed(fakeKind)),
      Layer.provide(channels),
      Layer.provideMerge(world.layer)
    )
    const work = Work.layer("/srv", "agent").pipe(
      Layer.provideMerge(Layer.provide(database(folder), HostServices.layer)),
      Layer.provideMerge(souffleur)
    )
    return Effect.gen(function* () {
      const id = "night"
      const { start } = yield* Work
      yield* start(id, { customer: "Ada", title: "The night", prompt: "Write it.", limits: {} })
      yield* untilEvent(id, "WatchSettled")
      for (let death = 1; death <= 3; death++) {
        yield* conductor.progresses
        yield* passes("1 hour")
        yield* conductor.dies
        yield* untilEvent(id, "ConductorRelaunched")
        yield* conductor.answers
        yield* untilEvent(id, "HandoffTaken")
      }
      yield* conductor.progresses
      yield* conductor.meetsLimit(Date.UTC(2026, 0, 6, 4))
      yield* untilEvent(id, "WaitStarted")
      yield* untilEvent(id, "ConductorRelaunched", { within: "4 hours" })
      yield* conductor.answers
      yield* untilEvent(id, "HandoffTaken")
      yield* conductor.completes

      const { events, result } = yield* Souffleur
      yield* untilDone(Stream.runDrain(events(id)))
      yield* passes("1 minute")
      assert.strictEqual((yield* result(id)).end, "unconfirmed")
      assert.lengthOf(world.launches, 5)
      assert.isNotEmpty(told)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT id, ended FROM orders`, [{ id, ended: "unconfirmed" }])
    }).pipe(Effect.provide(work), Effect.scoped)
  }
)
