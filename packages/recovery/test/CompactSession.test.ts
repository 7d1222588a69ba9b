import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compactByHand } from "../src/index.ts"
import { inTime } from "./Cycles.ts"
import { type FakeWorld } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

const byHand = (world: FakeWorld) =>
  inTime(compactByHand("s1", "/p")).pipe(Effect.provide(worldLayer(world, "/state")), Effect.provide(world.files.layer))
const ofSession = { AGENT_SESSION_ID: "s1" }

describe("command-line#plumbing", () => {
  it.effect("a compaction by hand compacts a session without a holder", () =>
    Effect.gen(function* () {
      const world = worldOf()
      assert.strictEqual(yield* byHand(world), 1)
      assert.deepStrictEqual(world.did, ["launch 5000", "SIGTERM 5000"])
      assert.strictEqual(world.agent.orders[0]?.permission, "acceptEdits")
    })
  )
  it.effect("souffleur and its ancestors hold no session, though a hook of that session started them", () =>
    Effect.gen(function* () {
      const world = worldOf(
        { pid: 9, parent: 1, environment: ofSession, protected: true },
        { pid: 10, parent: 9, environment: ofSession, protected: true }
      )
      assert.strictEqual(yield* byHand(world), 1)
    })
  )

  it.effect("a compaction by hand is refused beside a process of the session, or a process that claims it", () =>
    Effect.gen(function* () {
      const tagged = worldOf({ pid: 30, parent: 1, environment: ofSession })
      const error = yield* Effect.flip(byHand(tagged))
      assert.deepInclude(error, { _tag: "SessionHeld", message: "process 30 holds session s1: end it first" })
      const holder = worldOf({ pid: 70, parent: 1 })
      holder.agent.sessions = [{ pid: 70, sessionId: "s1" }]
      assert.strictEqual((yield* Effect.flip(byHand(holder)))._tag, "SessionHeld")
      assert.deepStrictEqual([...tagged.did, ...holder.did], [])
    })
  )
})
