import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  type DueWord,
  longestWord,
  takeWords,
  type WaitingWord,
  WordLost,
  type WordNews,
  WordTaker
} from "../src/index.ts"
import { fleetWorld } from "./FleetWorld.ts"

const word: WaitingWord = {
  id: "2b1f3c9a-4e52-4a3f-9a77-0c6f1f3f5a11",
  watch: "app-1",
  word: "hold",
  seen: 6,
  person: "anna",
  left: 60_000
}

/** A host that decides on words as it is told, in a fleet. */
const deciding = Effect.gen(function* () {
  const world = yield* fleetWorld
  const decided: Array<DueWord> = []
  const news: Array<WordNews> = []
  const host = { reason: null as string | null, broken: "", dies: false }
  const taking = takeWords({
    log: "l",
    waiting: Effect.sleep("5 seconds"),
    tell: (one) => Effect.sync(() => void news.push(one))
  }).pipe(
    Effect.provide(
      Layer.merge(
        world.layer,
        Layer.succeed(WordTaker, {
          take: (word) =>
            Effect.suspend(() => {
              if (host.dies) return Effect.die(new Error("a bug"))
              if (word.id === host.broken) return new WordLost({ problem: "the log is locked" })
              decided.push(word)
              return Effect.succeed({ reason: host.reason, note: null })
            })
        })
      )
    )
  )
  return { ...world, decided, said: news, host, taking }
})

describe("fleet#words", () => {
  it.effect("a word is decided on and answered, with its end by the clock of this host at the question", () =>
    Effect.gen(function* () {
      const { decided, host, said, state, taking } = yield* deciding
      yield* TestClock.setTime(1_000_000)
      yield* Effect.forkScoped(taking, { startImmediately: true })
      const { left, ...rest } = word
      state.words = [word]
      host.reason = "the watch has moved on"
      yield* TestClock.adjust("10 seconds")
      const asked = decided.map(({ until }) => until - left)
      assert.isTrue(asked.every((at) => at > 1_000_000 && at <= 1_010_000))
      assert.deepStrictEqual(decided[0], { ...rest, until: asked[0]! + left })
      assert.deepStrictEqual(state.answers[0], [word.id, "the watch has moved on"])
      assert.deepInclude(said[0], { _tag: "Answered", answer: { reason: "the watch has moved on", note: null } })
    })
  )
  it.effect("a word comes again until its answer has arrived, and holds up no other", () =>
    Effect.gen(function* () {
      const { decided, host, said, state, taking, weather } = yield* deciding
      const other = { ...word, id: "5f1f0f62-3b58-4d6e-8f0b-7f3b8a4f7d22" }
      state.words = [word, other]
      host.broken = word.id
      yield* weather("away", "well", "lost")
      yield* Effect.forkScoped(taking, { startImmediately: true })
      assert.lengthOf(decided, 0)
      yield* TestClock.adjust("30 seconds")
      assert.isTrue(decided.every(({ id }) => id === other.id))
      assert.isAbove(decided.length, 1)
      assert.deepInclude(said[0], { _tag: "Lost", problem: "the log is locked" })
      assert.isTrue(state.answers.every(([id, reason]) => id === other.id && reason === null))
    })
  )
  it.effect("a word lasts an hour at most, whatever its hub says, and a bug holds nothing up", () =>
    Effect.gen(function* () {
      const { decided, host, said, state, taking } = yield* deciding
      yield* Effect.forkScoped(taking, { startImmediately: true })
      state.words = [{ ...word, left: Number.MAX_SAFE_INTEGER }]
      host.dies = true
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(said[0], { _tag: "Lost" })
      host.dies = false
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(decided.length, 0)
      assert.isTrue(decided.every(({ until }) => until <= 20_000 + longestWord))
    })
  )
  it.effect("a hub that is away is asked again at the next sign of waiting words, and a revoked token ends it", () =>
    Effect.gen(function* () {
      const { state, taking, weather } = yield* deciding
      yield* weather(...Array.from({ length: 12 }, () => "away" as const))
      const fiber = yield* Effect.forkScoped(taking, { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(state.requests, 12)
      yield* weather("revoked")
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "TokenRefused" })
    })
  )
  it.effect("a hub with ever more words has some decided at once, and the others slowly", () =>
    Effect.gen(function* () {
      const { decided, state, taking } = yield* deciding
      state.words = Array.from({ length: 20 }, () => word)
      yield* Effect.forkScoped(taking, { startImmediately: true })
      yield* TestClock.adjust("6 seconds")
      assert.lengthOf(decided, 20)
      yield* TestClock.adjust("10 minutes")
      assert.isAtLeast(decided.length, 180)
      assert.isAtMost(decided.length, 220)
      state.words = []
      yield* TestClock.adjust("5 minutes")
      const { length } = decided
      state.words = [word, word]
      yield* TestClock.adjust("6 seconds")
      assert.isAbove(decided.length, length, "a person waits for no earlier words")
    })
  )
})
