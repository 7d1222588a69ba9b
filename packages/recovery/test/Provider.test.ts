import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { launchSuccessor, type Provider, type StepServices } from "../src/index.ts"
import { cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { fromNotes } from "./fixtures/FromNotes.ts"

const text = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8")

describe("behaviour#providers", () => {
  it("docs/providers.md has the provider that these tests run", () => {
    assert.include(text("../../../docs/providers.md"), text("./fixtures/FromNotes.ts"))
  })

  it.effect("a provider of another app stops the Conductor and launches, in steps with its own names", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycleOf([fromNotes])
      yield* run
      assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000"])
      assert.strictEqual(world.agent.orders[0]?.session._tag, "Fresh")
      assert.include(world.agent.orders[0]?.prompt, "/NOTES.md, and go on")
      const events = yield* log.events
      assert.deepInclude(relaunches(events)[0], { provider: "from_notes", generation: 2 })
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "StepStarted" && event.kind === "launch" ? [event.step] : [])),
        ["from_notes: launch"]
      )
    })
  )

  it.effect("a provider of another app launches once, even when a crash loses the reply", () =>
    Effect.gen(function* () {
      const { log, run, vanish, world } = yield* cycleOf([fromNotes])
      yield* vanish
      yield* run
      assert.strictEqual(launches(world).length, 1)
      assert.strictEqual(relaunches(yield* log.events).length, 1)
    })
  )
  it.effect(
    "a provider that launches twice in a cycle is refused the second time, whatever the names of its steps",
    () =>
      Effect.gen(function* () {
        const twice: Provider<StepServices> = {
          ...fromNotes,
          recover: Effect.fn("recover")(function* (watch, entry) {
            yield* fromNotes.recover(watch, entry)
            return yield* launchSuccessor(watch, entry.request, {
              steps: { prepare: "from_notes: once more", launch: "from_notes: another" },
              prompt: Effect.succeed("once more")
            })
          })
        }
        const { log, start, world } = yield* cycleOf([twice])
        const refused = yield* Effect.flip(inTime(start))
        assert.deepInclude(refused, { _tag: "Refused" })
        // Nor does it after a restart.
        yield* Effect.flip(inTime(start))
        assert.strictEqual(launches(world).length, 1)
        assert.deepStrictEqual(
          (yield* log.events).flatMap((event) =>
            event._tag === "StepStarted" && event.kind === "launch" ? [event.step] : []
          ),
          ["from_notes: launch"]
        )
      })
  )
})
