import { assert, describe, it } from "@effect/vitest"
import { type WatchIntent } from "@souffleur/domain"
import { LogUnusable } from "@souffleur/eventlog"
import { Deferred, Effect, Exit, Fiber, Option, Schema } from "effect"
import { again, Cycle, type Step, step, stillGranted } from "../src/index.ts"
import { owner } from "../../domain/test/Given.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"

class Broke extends Schema.TaggedError<Broke>()("Broke", { message: Schema.String }) {}

/** Makes a step whose acts and tokens can be seen. */
const doing = (
  did: Array<string>,
  name: string,
  change: Partial<Step<string, Broke, never>> = {}
): Step<string, Broke, never> => ({
  outcome: Schema.String,
  failure: Broke,
  act: (token) => Effect.sync(() => (did.push(`${name} ${token}`), `${name} done`)),
  reconcile: again,
  ...change
})
const tokenOf = (name: string, attempt = 1) => `g2-c1-${name}-${attempt}`

const whyOf = (error: { readonly _tag: string; readonly reason?: string }) => `${error._tag}: ${error.reason}`

describe("behaviour#steps", () => {
  describe("intent, act, outcome", () => {
    it.effect("a step records its intent, then its outcome", () =>
      Effect.gen(function* () {
        const { cycle, events } = yield* crashingLog(recovering())
        const did: Array<string> = []
        const outcome = yield* Effect.provideService(step("a", doing(did, "a")), Cycle, yield* cycle)
        assert.strictEqual(outcome, "a done")
        assert.deepStrictEqual(
          (yield* events).map((event) =>
            event._tag === "StepStarted" ? event.token : event._tag === "StepSucceeded" ? event.outcome : event
          ),
          [tokenOf("a"), "a done"]
        )
        assert.deepStrictEqual(did, [`a ${tokenOf("a")}`])
      })
    )
    it.effect("a crash after any append resumes without doing a finished step twice", () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { abandonAt, cycle, tags } = yield* crashingLog(recovering())
          const did: Array<string> = []
          const all = Effect.gen(function* () {
            const outcomes = [
              yield* step("a", doing(did, "a")),
              yield* step("b", doing(did, "b")),
              yield* step("c", doing(did, "c"))
            ]
            return outcomes
          })
          const crashed = yield* abandonAt(append, "after", Effect.provideService(all, Cycle, yield* cycle))
          assert.deepStrictEqual(yield* Effect.provideService(all, Cycle, yield* cycle), ["a done", "b done", "c done"])
          assert.deepStrictEqual(
            did.map((what) => what[0]),
            ["a", "b", "c"]
          )
          const tagsThen = yield* tags
          // A step that is done acts and records nothing more.
          assert.deepStrictEqual(yield* Effect.provideService(all, Cycle, yield* cycle), ["a done", "b done", "c done"])
          assert.deepStrictEqual([did.length, yield* tags], [3, tagsThen])
          if (!crashed) return assert.strictEqual(append, 7)
        }
      })
    )
    it.effect("a crash inside the act is reconciled: an act that has happened is recorded and not done again", () =>
      Effect.gen(function* () {
        const { abandonAt, cycle, events } = yield* crashingLog(recovering())
        const did: Array<string> = []
        const launching = doing(did, "launch", {
          reconcile: (token) =>
            Effect.succeed(did.includes(`launch ${token}`) ? Option.some("launch found") : Option.none())
        })
        assert.isTrue(
          yield* abandonAt(2, "before", Effect.provideService(step("launch", launching), Cycle, yield* cycle))
        )
        assert.deepStrictEqual(did, [`launch ${tokenOf("launch")}`])
        assert.strictEqual(yield* Effect.provideService(step("launch", launching), Cycle, yield* cycle), "launch found")
        assert.strictEqual(did.length, 1)
        assert.deepStrictEqual(
          (yield* events).map(({ _tag }) => _tag),
          ["StepStarted", "StepSucceeded"]
        )
      })
    )
    it.effect("an act that has not happened is done under a new token", () =>
      Effect.gen(function* () {
        const { abandonAt, cycle } = yield* crashingLog(recovering())
        const did: Array<string> = []
        const asked: Array<string> = []
        const reconciled = doing(did, "a", {
          reconcile: (token) => Effect.sync(() => (asked.push(token), Option.none()))
        })
        assert.isTrue(yield* abandonAt(1, "after", Effect.provideService(step("a", reconciled), Cycle, yield* cycle)))
        assert.strictEqual(yield* Effect.provideService(step("a", reconciled), Cycle, yield* cycle), "a done")
        assert.deepStrictEqual([asked, did], [[tokenOf("a")], [`a ${tokenOf("a", 2)}`]])
      })
    )
  })

  describe("a failure", () => {
    const broken = (did: Array<string>) =>
      doing(did, "a", { act: () => Effect.fail(new Broke({ message: "no transcript" })) })
    const branching = (self: Step<string, Broke, never>) =>
      step("a", self).pipe(Effect.catchTag("Broke", ({ message }) => Effect.succeed(`branched: ${message}`)))

    it.effect("a recorded failure is final in its cycle, and takes the same typed branch after a restart", () =>
      Effect.gen(function* () {
        const { cycle, tags } = yield* crashingLog(recovering())
        const did: Array<string> = []
        assert.strictEqual(
          yield* Effect.provideService(branching(broken(did)), Cycle, yield* cycle),
          "branched: no transcript"
        )
        // It would work now: the log says otherwise.
        assert.strictEqual(
          yield* Effect.provideService(branching(doing(did, "a")), Cycle, yield* cycle),
          "branched: no transcript"
        )
        const error = yield* Effect.flip(Effect.provideService(step("a", doing(did, "a")), Cycle, yield* cycle))
        assert.instanceOf(error, Broke)
        assert.deepStrictEqual([did, yield* tags], [[], ["StepStarted", "StepFailed"]])
      })
    )
    it.effect("a failure of reconcile is recorded as well", () =>
      Effect.gen(function* () {
        const { abandonAt, cycle, tags } = yield* crashingLog(recovering())
        const did: Array<string> = []
        yield* abandonAt(1, "after", Effect.provideService(step("a", doing(did, "a")), Cycle, yield* cycle))
        const unsettled = doing(did, "a", { reconcile: () => Effect.fail(new Broke({ message: "cannot be settled" })) })
        assert.strictEqual(
          yield* Effect.provideService(branching(unsettled), Cycle, yield* cycle),
          "branched: cannot be settled"
        )
        assert.deepStrictEqual([did, yield* tags], [[], ["StepStarted", "StepFailed"]])
      })
    )
    it.effect("a failure of the log itself is no outcome of the step: nothing is recorded", () =>
      Effect.gen(function* () {
        const { cycle, tags } = yield* crashingLog(recovering())
        const full = new LogUnusable({ reason: "full", problem: "database or disk is full" })
        const error = yield* Effect.flip(
          Effect.provideService(step("a", doing([], "a", { act: () => Effect.fail(full) })), Cycle, yield* cycle)
        )
        assert.deepStrictEqual([error, yield* tags], [full, ["StepStarted"]])
      })
    )
  })

  it.effect("an act that cannot be taken back needs a cycle that is not released, over or overtaken", () =>
    Effect.gen(function* () {
      const words: ReadonlyArray<WatchIntent> = [
        { _tag: "TakeOwnership", owner, over: 1 },
        { _tag: "FailClosed", cycle: 1, stage: "stop", message: "it does not end" },
        { _tag: "Release" }
      ]
      for (const word of words) {
        const { cycle, operator } = yield* crashingLog(recovering())
        const mine = yield* cycle
        const granted = Effect.provideService(stillGranted(yield* mine.watch.state), Cycle, mine)
        yield* granted
        yield* operator.dispatch(word)
        assert.strictEqual(whyOf(yield* Effect.flip(granted)), "Refused: not now")
      }
    })
  )
  it.effect("a souffleur that is overtaken during the act records no outcome", () =>
    Effect.gen(function* () {
      const { cycle, operator, ref, tags } = yield* crashingLog(recovering())
      const did: Array<string> = []
      const act = () => Effect.orDie(Effect.as(operator.dispatch({ _tag: "TakeOwnership", owner, over: 1 }), "done"))
      assert.strictEqual(
        whyOf(yield* Effect.flip(Effect.provideService(step("a", doing(did, "a", { act })), Cycle, yield* cycle))),
        "Refused: fenced"
      )
      assert.deepStrictEqual(yield* tags, ["StepStarted", "OwnerTook"])
      // The souffleur that overtook it goes on from the intent.
      const successor = Cycle.of({ number: 1, watch: yield* ref(2) })
      assert.strictEqual(yield* Effect.provideService(step("a", doing(did, "a")), Cycle, successor), "a done")
    })
  )
})

describe("behaviour#one-owner", () => {
  it.effect("an overtaken souffleur neither acts nor records", () =>
    Effect.gen(function* () {
      const { cycle, operator, tags } = yield* crashingLog(recovering())
      const did: Array<string> = []
      yield* operator.dispatch({ _tag: "TakeOwnership", owner, over: 1 })
      assert.strictEqual(
        whyOf(yield* Effect.flip(Effect.provideService(step("a", doing(did, "a")), Cycle, yield* cycle))),
        "Refused: fenced"
      )
      assert.deepStrictEqual([did, yield* tags], [[], ["OwnerTook"]])
    })
  )
})

describe("behaviour#cycle", () => {
  it.effect("an acknowledged release ends every act after it", () =>
    Effect.gen(function* () {
      const { cycle, operator, tags } = yield* crashingLog(recovering())
      const did: Array<string> = []
      const both = Effect.andThen(
        step(
          "a",
          doing(did, "a", { act: () => Effect.orDie(Effect.as(operator.dispatch({ _tag: "Release" }), "done")) })
        ),
        step("b", doing(did, "b"))
      )
      assert.strictEqual(whyOf(yield* Effect.flip(Effect.provideService(both, Cycle, yield* cycle))), "Refused: ended")
      assert.deepStrictEqual([did, yield* tags], [[], ["StepStarted", "WatchReleased"]])
    })
  )
})

describe("behaviour#signals-of-souffleur", () => {
  describe("an interruption", () => {
    it.effect("an interruption during the act ends it at once, and records nothing", () =>
      Effect.gen(function* () {
        const { cycle, tags } = yield* crashingLog(recovering())
        const acting = yield* Deferred.make<void>()
        const act = () => Effect.andThen(Deferred.succeed(acting, undefined), Effect.never)
        const fiber = yield* Effect.forkChild(
          Effect.provideService(step("a", doing([], "a", { act })), Cycle, yield* cycle)
        )
        yield* Deferred.await(acting)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.deepStrictEqual(yield* tags, ["StepStarted"])
      })
    )
    it.effect("an interruption while the outcome is being recorded waits for it", () =>
      Effect.gen(function* () {
        const { cycle, tags } = yield* crashingLog(recovering())
        const { number, watch } = yield* cycle
        const recording = yield* Deferred.make<void>()
        const store = yield* Deferred.make<void>()
        const slow = Cycle.of({
          number,
          watch: {
            ...watch,
            dispatch: Effect.fnUntraced(function* (intent) {
              if (intent._tag === "SucceedStep") {
                yield* Deferred.succeed(recording, undefined)
                yield* Deferred.await(store)
              }
              return yield* watch.dispatch(intent)
            })
          }
        })
        const did: Array<string> = []
        const fiber = yield* Effect.forkChild(Effect.provideService(step("a", doing(did, "a")), Cycle, slow))
        yield* Deferred.await(recording)
        const stopping = yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* Effect.repeat(Effect.yieldNow, { times: 20 })
        assert.isUndefined(stopping.pollUnsafe())
        yield* Deferred.succeed(store, undefined)
        yield* Fiber.join(stopping)
        assert.deepStrictEqual(yield* tags, ["StepStarted", "StepSucceeded"])
      })
    )
  })
})
