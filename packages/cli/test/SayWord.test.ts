import { assert, describe, it } from "@effect/vitest"
import { FleetDesk, type FleetView, HubAway, type SaidWord, WordKept, type WordStanding } from "@souffleur/fleet"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { addresseeOf, sayWord, silenceWarning } from "../src/fleet/SayWord.ts"

const [newer, older] = ["0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1", "5f1f0f62-3b58-4d6e-8f0b-7f3b8a4f7d22"]
const host = {
  name: "one",
  host: "h",
  log: newer,
  lastSeenAgo: 1000,
  away: false,
  forked: false,
  revoked: false,
  takesWords: true,
  full: false,
  behind: 0
}
const job = {
  kind: "watch",
  id: "app-1",
  log: newer,
  project: "/p",
  agent: null,
  title: null,
  state: "working",
  standing: "watching",
  need: null,
  generation: 1,
  revision: 9,
  at: 0
} as const
const view = (change: Partial<FleetView> = {}): FleetView => ({
  now: 0,
  hosts: [host],
  jobs: [job],
  more: 0,
  ...change
})
const addressee = { host, watch: "app-1", seen: 9, standing: "watching" }

/** A hub whose answers come one after the other, the last one again and again. */
const answering = (...answers: ReadonlyArray<WordStanding | HubAway | WordKept>) => {
  const said: Array<readonly [string, SaidWord]> = []
  let at = 0
  const next = Effect.suspend(() => {
    const answer = answers[Math.min(at++, answers.length - 1)]!
    return "outcome" in answer ? Effect.succeed(answer) : Effect.fail(answer)
  })
  const layer = Layer.succeed(FleetDesk, {
    view: Effect.succeed(view()),
    say: (...word) =>
      Effect.andThen(
        Effect.sync(() => said.push(word)),
        next
      ),
    word: () => Effect.catchTag(next, "WordKept", Effect.die)
  })
  const saying = sayWord(addressee, "retry", { now: 5000, within: Duration.seconds(60) })
  return { said, saying: Effect.provide(saying, layer) }
}
const away = new HubAway({ problem: "it cannot be reached" })
const waiting = (left: number): WordStanding => ({ outcome: "waiting", reason: null, note: null, left })
const taken: WordStanding = { outcome: "taken", reason: null, note: null, left: 50_000 }

describe("fleet#words", () => {
  it("a silent host can take a word later, but for a host that takes none", () => {
    const silent = { ...host, lastSeenAgo: 120_000 }
    assert.include(silenceWarning(silent), "one is silent for 2 m 0 s, and can take the word once it is back")
    assert.isUndefined(silenceWarning(host))
    assert.isUndefined(silenceWarning({ ...silent, takesWords: false }))
  })
  it.effect(
    "a name finds the watch of a host by the log that the host speaks under, at the revision that was seen",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* addresseeOf(view(), "one/app-1", undefined), addressee)
        assert.strictEqual((yield* addresseeOf(view(), "one/app-1", 7)).seen, 7)
        // A log that was renamed shows the jobs of both names.
        const renamed = view({
          hosts: [{ ...host, log: older, lastSeenAgo: 500_000 }, host],
          jobs: [{ ...job, log: older, revision: 3 }, job]
        })
        assert.deepStrictEqual(yield* addresseeOf(renamed, "one/app-1", undefined), addressee)
        for (const [wrong, of] of [
          ["two/app-1", view()],
          ["one/app-2", view()],
          ["app-1", view()],
          ["/app-1", view()],
          ["one/app-1", view({ hosts: [{ ...host, forked: true }] })],
          ["one/app-1", view({ hosts: [{ ...host, revoked: true }] })],
          ["one/app-1", view({ jobs: [{ ...job, kind: "run" }] })]
        ] as const)
          assert.strictEqual((yield* Effect.flip(addresseeOf(of, wrong, undefined)))._tag, "BadUsage")
      })
  )
  it.effect("a word is said again by its id until a hub has it, and followed to its answer", () =>
    Effect.gen(function* () {
      const { said, saying } = answering(away, away, waiting(60_000), away, waiting(57_000), taken)
      const fiber = yield* Effect.forkScoped(saying)
      yield* TestClock.adjust("10 seconds")
      const { id, standing } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(standing, taken)
      assert.lengthOf(said, 3)
      for (const one of said)
        assert.deepStrictEqual(one, [id, { log: newer, watch: "app-1", word: "retry", seen: 9, until: 65_000 }])
    })
  )
  it.effect("a word without an answer is followed a little beyond its end, and a hub without one too", () =>
    Effect.gen(function* () {
      const late = answering(waiting(1000), waiting(-10_000), waiting(-16_000))
      const fiber = yield* Effect.forkScoped(late.saying)
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude((yield* Fiber.join(fiber)).standing, { outcome: "waiting", left: -16_000 })
      const gone = yield* Effect.forkScoped(answering(away).saying)
      yield* TestClock.adjust("89 seconds")
      assert.isUndefined(gone.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isUndefined((yield* Fiber.join(gone)).standing)
    })
  )
  it.effect("a hub that keeps a word says why, and is not asked again", () =>
    Effect.gen(function* () {
      const { said, saying } = answering(new WordKept({ problem: "the log of that host is forked" }))
      assert.deepInclude(yield* Effect.flip(saying), { _tag: "WordKept" })
      assert.lengthOf(said, 1)
    })
  )
})
