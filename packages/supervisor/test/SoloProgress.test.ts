import { assert, describe, it } from "@effect/vitest"
import { Event, load } from "@souffleur/domain"
import { FileRefused, TrustedFiles } from "@souffleur/process"
import { Effect, Path } from "effect"
import { adoptedBaseline, soloComms } from "../src/index.ts"
import { identityOf } from "@souffleur/testing"
import { confirmed, living, opened, owned, watching, worldOf } from "./SupervisorWorld.ts"

const adopted = {
  at: 0,
  by: "operator",
  generation: 2,
  conductor: identityOf(4712),
  sessionId: "s2",
  print: false
} as const

const odd = (missing: boolean) => (path: string) =>
  Effect.fail(new FileRefused({ path, problem: "it is odd", missing }))

describe("behaviour#retries", () => {
  describe("a Conductor that is adopted", () => {
    it.effect("an adopted Conductor without comms is measured by its sessions: an idle one makes no progress", () =>
      Effect.gen(function* () {
        const world = worldOf({
          results: new Map([
            ["s1", 3],
            ["s2", 4]
          ])
        })
        const { context, log } = yield* living([opened(null), owned, confirmed], world)
        const here = Effect.provideContext(context)
        const baseline = yield* here(adoptedBaseline(yield* here(load("w")), "s2"))
        assert.strictEqual(baseline.taskCount, 7)
        yield* log.append("w", 3, [Event.ConductorAdopted.make({ ...adopted, ...baseline })])
        const later = yield* here(Effect.flatMap(soloComms(yield* here(load("w"))), ({ snapshot }) => snapshot))
        assert.strictEqual(later.taskFingerprint, baseline.taskFingerprint)
      }).pipe(Effect.provide([TrustedFiles.layerNone, Path.layer]))
    )
    it.effect(
      "an adopted Conductor with comms is measured by its tasks, or by the last known ones while comms is out",
      () =>
        Effect.gen(function* () {
          const { context, world } = yield* living(watching)
          const here = Effect.provideContext(context)
          const asked = Effect.flatMap(here(load("w")), (watch) => here(adoptedBaseline(watch, "s2")))
          assert.deepInclude(yield* asked, { taskCount: 3, taskFingerprint: "3 tasks", conductorState: "working" })
          world.comms.out = "locked"
          assert.deepInclude(yield* asked, { taskCount: 3, taskFingerprint: "3 tasks", conductorState: null })
        }).pipe(Effect.provide([TrustedFiles.layerNone, Path.layer]))
    )
  })

  it.effect("a commit that cannot be read is unknown in the measure of an agent without comms", () =>
    Effect.gen(function* () {
      const { context } = yield* living([opened(null), owned, confirmed], worldOf({ results: new Map([["s1", 3]]) }))
      const here = Effect.provideContext(context)
      const fingerprint = (missing: boolean) =>
        Effect.gen(function* () {
          const { snapshot } = yield* soloComms(yield* load("w"))
          return (yield* snapshot).taskFingerprint
        }).pipe(Effect.provideService(TrustedFiles, { open: odd(missing), rows: odd(missing) }), here)
      assert.strictEqual(yield* fingerprint(true), "3 ")
      assert.strictEqual(yield* fingerprint(false), "3 ?")
    }).pipe(Effect.provide(Path.layer))
  )
})
