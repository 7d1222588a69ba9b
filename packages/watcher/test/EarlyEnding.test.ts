import { assert, describe, it } from "@effect/vitest"
import { Event, type SessionSigns, soloSnapshot } from "@souffleur/domain"
import { begun, settle } from "@souffleur/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conductor, history, watching, type World } from "./WatcherWorld.ts"

type Setup = Parameters<typeof watching>[0] & {}

/** The events of a watch without comms after its Conductor is gone. */
const ending = Effect.fnUntraced(function* (
  setup: Setup,
  during: (world: World) => Effect.Effect<void> = () => Effect.void
) {
  const { told, world } = yield* watching({ ...setup, world: { solo: true, turnFinished: true, ...setup.world } })
  world.condition = "gone"
  yield* TestClock.adjust("1 second")
  yield* during(world)
  yield* TestClock.adjust("3 seconds")
  yield* settle
  return (yield* told).map((event) =>
    event._tag === "EndedEarly"
      ? [event.reason, event.leftRunning]
      : event._tag === "RecoveryStarted"
        ? event.trigger
        : event._tag
  )
})
const alone = { children: 0 }
const complete = ["ConductorCompleted" as const]
const command = { kind: "command", ended: 0 } as const

/** Generation 2, launched for that reason; nothing was done since. */
const successorFor = (trigger: (typeof Event.RecoveryStarted.Type)["trigger"], taskFingerprint?: string) => [
  history.confirmed(),
  history.started(),
  Event.RecoveryStarted.make({ at: begun, cycle: 1, purpose: "relaunch", trigger }),
  { ...history.prepared, cycle: 1 },
  { ...history.relaunched, taskFingerprint: taskFingerprint ?? soloSnapshot.taskFingerprint },
  history.started(2)
]
const refusal: SessionSigns = {
  writtenAt: begun,
  turn: { _tag: "Finished", at: begun },
  context: undefined,
  refused: true
}

describe("behaviour#early-ends", () => {
  it.effect("a finished turn whose process ended by itself is the end of the work", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ending({ world: alone }), complete)
      assert.deepStrictEqual(yield* ending({ world: { ...alone, ...command } }), complete)
    })
  )
  it.effect("an answer without a reason for its end was the last one if an agent in print mode ended well", () =>
    Effect.gen(function* () {
      const answer = {
        writtenAt: begun,
        turn: { _tag: "Asked", at: begun, answered: true },
        context: undefined
      } as const
      const printing = [history.prepared, { ...history.confirmed(), print: true }, history.started()]
      const endingWith = (world: Setup["world"], launched = printing) =>
        ending({ world: { ...alone, turnFinished: false, signs: answer, ...world }, history: launched })
      assert.deepStrictEqual(yield* endingWith({ ended: 0 }), complete)
      const death = ["ConductorDied" as const, "pid" as const]
      assert.deepStrictEqual(yield* endingWith({ ended: 1 }), death)
      assert.deepStrictEqual(yield* endingWith({ ended: 0 }, [history.confirmed(), history.started()]), death)
      const asked = { ...answer, turn: { _tag: "Asked", at: begun } } as const
      assert.deepStrictEqual(yield* endingWith({ ended: 0, signs: asked }), death)
    })
  )
  it.effect("a turn that was finished before the first launch is not the end of its work", () =>
    Effect.gen(function* () {
      const launched = [{ ...history.prepared, turnBefore: begun - 1 }, history.confirmed(), history.started()]
      const endedAt = (at: number): Setup => ({
        world: { ...alone, signs: { writtenAt: at, turn: { _tag: "Finished", at }, context: undefined } },
        history: launched
      })
      assert.deepStrictEqual(yield* ending(endedAt(begun - 1)), ["ConductorDied", "pid"])
      assert.deepStrictEqual(yield* ending(endedAt(begun)), complete)
      // The clock was set back while the turn went on.
      assert.deepStrictEqual(yield* ending(endedAt(begun - 3_600_000)), complete)
    })
  )
  it.effect("a finished turn is not the end of the work if a signal or a failure ended the process", () =>
    Effect.gen(function* () {
      for (const ended of ["SIGTERM", 143]) {
        const world = { ...alone, ended }
        const launched = [...successorFor("pid", "other")]
        assert.deepStrictEqual(yield* ending({ world, history: launched }), [["exit", 0], "exit"])
      }
    })
  )
  it.effect("a finished turn in a window is the end of the work, unless no terminal ends its process so", () =>
    Effect.gen(function* () {
      const world = { ...alone, ended: "SIGHUP", terminal: "tmux" } as const
      assert.deepStrictEqual(yield* ending({ world, history: successorFor("pid", "other") }), complete)
      for (const ended of ["SIGKILL", "SIGSEGV"]) {
        const killed = { world: { ...world, ended }, history: successorFor("pid", "other") }
        assert.deepStrictEqual(yield* ending(killed), [["exit", 0], "exit"])
      }
      const within = { ...world, turnFinished: false }
      assert.deepStrictEqual(yield* ending({ world: within, history: successorFor("pid", "other") }), [
        "ConductorDied",
        "pid"
      ])
    })
  )
  it.effect("an end after a refused permission is not the end of the work", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ending({ world: { ...alone, signs: refusal } }), [["refused", 0], "refused"])
    })
  )
  it.effect("a successor that only answered is not the end of the work", () =>
    Effect.gen(function* () {
      const told = yield* ending({ world: alone, history: successorFor("pid") })
      assert.deepStrictEqual(told, [["only-answered", 0], "only-answered"])
      assert.deepStrictEqual(yield* ending({ world: alone, history: successorFor("pid", "other") }), complete)
      // A command has no other measure than its exit code.
      assert.deepStrictEqual(yield* ending({ world: { ...alone, ...command }, history: successorFor("pid") }), complete)
    })
  )
  it.effect("processes that run on put off the end of the work once, and their time to end is three seconds", () =>
    Effect.gen(function* () {
      const world = { children: 2 }
      assert.deepStrictEqual((yield* ending({ world }))[0], ["left-running", 2])
      assert.deepStrictEqual(yield* ending({ world, history: successorFor("left-running", "other") }), complete)
      const end = (world: World) => Effect.sync(() => void (world.children = 0))
      assert.deepStrictEqual(yield* ending({ world }, end), complete)
    })
  )
  it.effect("a command that ends with 0 is complete at once, whatever it leaves running", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ending({ world: { ...command, children: 2 } }), complete)
    })
  )
  it.effect("an early end stays one while its recovery is held, whatever is committed or ends meanwhile", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({
        world: { solo: true, turnFinished: true, children: 0 },
        history: [
          ...successorFor("pid", "before a commit of a person"),
          Event.HoldStarted.make({ at: begun }),
          Event.RecoveryWithheld.make({
            at: begun,
            cycle: 2,
            trigger: "only-answered",
            stage: "hold",
            message: "held"
          }),
          history.started(3)
        ]
      })
      world.condition = "gone"
      yield* TestClock.adjust("10 minutes")
      yield* settle
      assert.deepStrictEqual(
        (yield* told).map(({ _tag }) => _tag),
        []
      )
    })
  )
  it.effect("an end is judged by signs of one moment, and a look that stood still is made once more", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true, turnFinished: true, children: 0 } })
      world.condition = "gone"
      world.agent.slow = 60_000
      yield* TestClock.adjust("30 seconds")
      // A person resumes the session meanwhile, and leaves it in the middle of a turn.
      world.turnFinished = false
      yield* TestClock.adjust("1 minute")
      yield* settle
      assert.strictEqual((yield* told)[0]?._tag, "ConductorDied")
    })
  )
  it.effect("an end is looked at again where the machine slept between the look and the report", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true, turnFinished: true, children: 1 } })
      world.condition = "gone"
      yield* TestClock.adjust("1 second")
      world.wallJump = 3_600_000
      // A person resumed the session meanwhile, and left it in the middle of a turn.
      world.turnFinished = false
      world.children = 0
      yield* TestClock.adjust("3 seconds")
      yield* settle
      assert.strictEqual((yield* told)[0]?._tag, "ConductorDied")
    })
  )
  it.effect("an end is looked at again where an operator said a word between the look and the report", () =>
    Effect.gen(function* () {
      const { operator, told, world } = yield* watching({ world: { solo: true, turnFinished: true, children: 1 } })
      world.condition = "gone"
      yield* TestClock.adjust("1 second")
      yield* operator.dispatch({ _tag: "Hold" })
      yield* operator.dispatch({ _tag: "Go" })
      // A person resumed the session meanwhile, and left it in the middle of a turn.
      world.turnFinished = false
      world.children = 0
      yield* TestClock.adjust("3 seconds")
      yield* settle
      assert.deepStrictEqual(
        (yield* told).map(({ _tag }) => _tag),
        ["HoldStarted", "HoldEnded", "ConductorDied", "RecoveryStarted"]
      )
    })
  )
  it.effect("a successor that ended before its first turn has died, whatever the turn before it said", () =>
    Effect.gen(function* () {
      const turnBefore = begun - 60_000
      const launched = successorFor("exit", "a commit since").map((event) =>
        event._tag === "LaunchPrepared" ? { ...event, turnBefore } : event
      )
      for (const [at, tag] of [
        [turnBefore, "ConductorDied"],
        [begun, "ConductorCompleted"],
        [turnBefore - 1, "ConductorCompleted"]
      ] as const) {
        const { told, world } = yield* watching({
          world: {
            solo: true,
            turnFinished: true,
            signs: { ...refusal, refused: false, turn: { _tag: "Finished", at } },
            ...alone
          },
          history: launched
        })
        world.condition = "gone"
        yield* TestClock.adjust("1 minute")
        yield* settle
        assert.strictEqual((yield* told)[0]?._tag, tag)
      }
    })
  )
  it.effect("an agent of another session that the Conductor started is none of its own", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true, turnFinished: true, children: 1 } })
      world.hold("s9", 5000)
      world.processes.run({ pid: 5000, parent: conductor.pid })
      world.condition = "gone"
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* told)[0]?._tag, "ConductorCompleted")
    })
  )
})

describe("behaviour#signs", () => {
  it.effect("a turn that only the output of the launch tells is the end of the work", () =>
    Effect.gen(function* () {
      const turnIn = "/state/launches/w-g2-c1-6-launch-1.out"
      const launched = successorFor("pid", "other")
      assert.deepStrictEqual(yield* ending({ world: { ...alone, turnIn }, history: launched }), complete)
      assert.deepStrictEqual(yield* ending({ world: { ...alone, turnIn: "/another" }, history: launched }), [
        "ConductorDied",
        "pid"
      ])
    })
  )
})

describe("behaviour#said-to-be-done", () => {
  it.effect("a successor that only answered confirms what was said before it", () =>
    Effect.gen(function* () {
      const [confirmed, started] = [history.confirmed(), history.started()]
      const evidence = {
        process: "gone" as const,
        conductorState: null,
        heartbeat: null,
        heartbeatAge: null,
        staleAfter: 0,
        signs: [],
        contextTokens: null,
        turnFinished: true,
        end: null
      }
      const seen = { watcher: 1, taskCount: null, taskFingerprint: null, evidence }
      const ended = Event.EndedEarly.make({ at: begun, ...seen, reason: "exit", leftRunning: 0, retries: 0 })
      const [, , ...successor] = successorFor("exit")
      const told = yield* ending({ world: alone, history: [confirmed, started, ended, ...successor] })
      assert.deepStrictEqual(told, complete)
    })
  )
})
