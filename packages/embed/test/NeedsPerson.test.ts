import { assert, describe, it } from "@effect/vitest"
import { initial, type Watch } from "@souffleur/domain"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Effect, Layer } from "effect"
import { NeedsPerson, Parts, Souffleur } from "../src/index.ts"
import { needBeforeEnd } from "../src/keeping/NeedsPerson.ts"
import { noon, recovery } from "./AtNoon.ts"

const conductor = { pid: 4711, sessionId: "s1" }
const standby = { cycle: 1, trigger: "pid", message: "no", since: noon, held: false, ended: true } as const
const wait = { kind: "usage-limit", since: noon, until: noon + 1, trigger: "limit", turnAt: null } as const

describe("behaviour#standby", () => {
  it.effect("who awaits the end of a job in standby is told that a person is needed, and awaits it again", () => {
    const world = new FakeWorld({ conductor })
    const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.watch({ ...conductor, project: "/p", comms: null })
      yield* untilEvent(watch.id, "WatchSettled")
      yield* souffleur.hold(watch.id)
      yield* world.conductor.dies
      yield* untilEvent(watch.id, "RecoveryWithheld")
      const needed = yield* Effect.flip(watch.awaitEnd)
      assert.instanceOf(needed, NeedsPerson)
      assert.deepInclude(needed, {
        watch: watch.id,
        reason: "standby",
        stage: "hold",
        next: `souffleur go ${watch.id}`
      })
      // It is kept all the same.
      yield* souffleur.go(watch.id)
      yield* souffleur.done(watch.id)
      assert.strictEqual((yield* watch.awaitEnd).end, "completed")
      assert.strictEqual((yield* watch.ended).end, "completed")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
  it("a standby of any stage, an awaited person, an idle agent and a limit of weeks need a person, and nothing else does", () => {
    const needs = (more: Partial<Watch>) => needBeforeEnd("w", { ...initial, phase: "Watching", ...more })
    for (const stage of ["observe", "hold", "ceiling", "launch", "login", "other", "watcher", "self-monitor", "1 stop"])
      assert.deepInclude(needs({ standby: { ...standby, stage } }), { reason: "standby", stage })
    assert.strictEqual(needs({ person: { for: "a permission", since: noon } })?.reason, "person")
    assert.deepInclude(needs({ idle: { since: noon } }), { reason: "idle", next: "souffleur attach w" })
    assert.strictEqual(needs({ wait: { ...wait, resetsAt: noon + 2 } })?.reason, "limit")
    const ceiling = { ceiling: "tokens", used: 2, limit: 1, flag: null } as const
    for (const more of [
      {},
      { recovery },
      { ceiling },
      { held: { since: noon, byAgent: false } },
      { wait: { ...wait, resetsAt: null } },
      { idle: { since: noon }, recovery },
      { phase: "Exited", end: "completed" }
    ] as const)
      assert.isUndefined(needs(more))
  })
})
