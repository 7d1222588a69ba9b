import { assert, describe, it } from "@effect/vitest"
import type { TurnState } from "@souffleur/domain"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { agentPid, agentScene as scene, childPid, limit } from "./AgentScene.ts"

describe("behaviour#agents-of-a-run", () => {
  it.effect(
    "an agent has its time from its launch on, also without a conductor; its end is in the log, with its limit",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        yield* TestClock.adjust("4 minutes")
        const waiting = yield* Effect.forkChild(the.awaits)
        yield* TestClock.adjust("119 seconds")
        assert.isNull((yield* the.ref.state).assignments[0]?.ending)
        yield* TestClock.adjust("1 seconds")
        assert.deepStrictEqual(yield* Fiber.join(waiting), { reason: "timeout", limit: 360_000 })
        assert.deepStrictEqual((yield* the.ref.state).assignments[0]?.ending, { reason: "timeout", limit: 360_000 })
        // The agent is not one of the others.
        assert.deepStrictEqual(the.processes.trees.at(-1)?.others, [900])
        assert.deepStrictEqual(the.processes.signals, [])
      }).pipe(Effect.scoped)
  )
  it.effect(
    "an agent that has said its last word and does not end is ended after a stall in which nothing of it works",
    () =>
      Effect.gen(function* () {
        const lingering = Effect.fnUntraced(function* (work: (the: Effect.Success<ReturnType<typeof scene>>) => void) {
          const the = yield* scene()
          the.agent.stall = Duration.minutes(1)
          the.agent.sessions = [{ pid: agentPid, sessionId: "s1", status: "idle" }]
          const at = yield* Clock.currentTimeMillis
          the.agent.signs = () => ({ writtenAt: at, turn: { _tag: "Finished", at }, context: undefined })
          work(the)
          const waiting = yield* Effect.forkChild(the.awaits)
          yield* TestClock.adjust("1 minute")
          assert.isUndefined(waiting.pollUnsafe())
          yield* TestClock.adjust("10 seconds")
          const early = waiting.pollUnsafe() !== undefined
          yield* TestClock.adjust(limit)
          return [early, (yield* Fiber.join(waiting))?.reason]
        }, Effect.scoped)
        let ticks = 0
        assert.deepStrictEqual(yield* lingering(() => {}), [true, "lingering"])
        for (const work of [
          ({ agent }) => (agent.signs = () => ({ writtenAt: 0, turn: { _tag: "Asked", at: 0 }, context: undefined })),
          ({ agent }) => (agent.sessions = [{ pid: agentPid, sessionId: "s1", status: "busy" }])
        ] satisfies ReadonlyArray<Parameters<typeof lingering>[0]>)
          assert.deepStrictEqual(yield* lingering(work), [false, "timeout"])
        // What it started works until its time is over. Its word is taken all the same.
        assert.deepStrictEqual(
          yield* lingering(({ processes }) =>
            processes.run({ pid: 103, parent: agentPid, processor: () => (ticks += 100) })
          ),
          [false, "lingering"]
        )
      })
  )
  it.effect("an agent that hangs by the evidence of a watch is ended, unless a person holds the run", () =>
    Effect.gen(function* () {
      type The = Effect.Success<ReturnType<typeof scene>>
      const hanging = Effect.fnUntraced(function* (
        turn: (now: number) => TurnState,
        before: (the: The) => Effect.Effect<void> = () => Effect.void
      ) {
        const the = yield* scene()
        the.agent.stall = Duration.minutes(1)
        const read = turn(yield* Clock.currentTimeMillis)
        the.agent.signs = () => ({ writtenAt: read.at, turn: read, context: undefined })
        yield* before(the)
        const waiting = yield* Effect.forkChild(the.awaits)
        yield* TestClock.adjust("5 minutes")
        const early = waiting.pollUnsafe() !== undefined
        yield* TestClock.adjust(limit)
        return [early, (yield* Fiber.join(waiting))?.reason]
      }, Effect.scoped)
      const asked = (at: number): TurnState => ({ _tag: "Asked", at })
      const tool = (at: number): TurnState => ({ _tag: "Tool", at, name: "Bash", spawns: false, limit: 600_000 })
      assert.deepStrictEqual(yield* hanging(asked), [true, "hung"])
      // A record of the process before says nothing of this one.
      assert.deepStrictEqual(yield* hanging((now) => ({ _tag: "Finished", at: now - 1 })), [true, "hung"])
      assert.deepStrictEqual(yield* hanging(tool), [false, "timeout"])
      // A session that does not tell the state of its turn is no evidence.
      const unclear = ({ agent }: The) =>
        Effect.sync(() => {
          agent.signs = () => ({ writtenAt: 0, turn: undefined, context: undefined })
        })
      assert.deepStrictEqual(yield* hanging(asked, unclear), [false, "timeout"])
      // A program of the user's own may wait for what it started, and has no pid file.
      const another = ({ agent }: The) => Effect.sync(() => void (agent.sessions = []))
      assert.deepStrictEqual(yield* hanging(asked, another), [false, "timeout"])
      const frozen = ({ agent, processes }: The) =>
        Effect.sync(() => {
          agent.sessions = []
          processes.table.get(agentPid)!.condition = "stopped"
        })
      assert.deepStrictEqual(yield* hanging(asked, frozen), [true, "hung"])
      const the = yield* scene()
      the.agent.results.set("s1", 3)
      the.processes.end(agentPid)
      yield* the.ref.dispatch({ _tag: "EndAgent", token: "a1", reason: "hung", limit: 60_000, others: [childPid] })
      assert.deepStrictEqual(yield* the.follows, {
        _tag: "Failed",
        reason: "hung",
        message: "the implementer hung: it gave no sign of life for 1 m 0 s",
        cutOffAfter: 3
      })
      const held = ({ ref }: The) => Effect.orDie(Effect.asVoid(ref.dispatch({ _tag: "Hold" })))
      assert.deepStrictEqual(yield* hanging(asked, held), [false, "timeout"])
    })
  )
  it.effect("a tool that began after the clock was set back is the agent's own, and has its time", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 hours")
      const the = yield* scene()
      the.agent.stall = Duration.minutes(1)
      const asked = yield* Clock.currentTimeMillis
      yield* TestClock.setTime(asked - 3_600_000)
      const turn: TurnState = { _tag: "Tool", at: asked - 3_599_000, name: "Bash", spawns: false, limit: 600_000 }
      the.agent.signs = () => ({ writtenAt: turn.at, turn, context: undefined })
      const waiting = yield* Effect.forkChild(the.awaits)
      yield* TestClock.adjust("330 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(limit)
      assert.strictEqual((yield* Fiber.join(waiting))?.reason, "timeout")
    })
  )
  it.effect("the last word of an agent counts where its time went by while no conductor lived", () =>
    Effect.gen(function* () {
      const the = yield* scene()
      the.agent.sessions = [{ pid: agentPid, sessionId: "s1", status: "idle" }]
      const at = yield* Clock.currentTimeMillis
      the.agent.signs = () => ({ writtenAt: at, turn: { _tag: "Finished", at }, context: undefined })
      yield* TestClock.adjust(limit)
      assert.strictEqual((yield* the.awaits)?.reason, "lingering")
    }).pipe(Effect.scoped)
  )
  it.effect("an agent has no more than its time where the clock was set back since", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10 * 3_600_000)
      const the = yield* scene()
      yield* TestClock.setTime(0)
      const waiting = yield* Effect.forkChild(the.awaits)
      yield* TestClock.adjust(limit)
      assert.strictEqual((yield* Fiber.join(waiting))?.reason, "timeout")
    }).pipe(Effect.scoped)
  )
  it.effect(
    "an agent that ended in time and left something running is told apart; an agent that left nothing needs no end",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        the.processes.end(agentPid)
        assert.isTrue(yield* the.left)
        assert.strictEqual((yield* the.awaits)?.reason, "left running")
        const other = yield* scene()
        for (const pid of [agentPid, childPid]) other.processes.end(pid)
        assert.isFalse(yield* other.left)
        assert.isNull(yield* other.awaits)
      }).pipe(Effect.scoped)
  )
  it.effect("a finishing command of the user may leave something running; an agent may not", () =>
    Effect.gen(function* () {
      const the = yield* scene()
      the.processes.end(agentPid)
      assert.isNull(yield* the.finishes({ program: "/finish", args: [], environment: {} }))
      assert.strictEqual((yield* the.finishes(null))?.reason, "left running")
    }).pipe(Effect.scoped)
  )
  it.effect(
    "an agent's processes are known by its process, its session and its launch; other sessions are spared",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        the.processes.end(agentPid)
        yield* the.awaits
        const tags = [
          { environment: { AGENT_PID: String(agentPid), AGENT_SESSION_ID: "s1" } },
          { environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }
        ]
        assert.deepStrictEqual(the.processes.trees.at(-1), { root: agentPid, tags, others: [900], known: [] })
      }).pipe(Effect.scoped)
  )
  it.effect(
    "an agent and what it started are signalled once the log says that this very assignment ends, and not before",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        assert.deepInclude(yield* Effect.flip(the.ends()), { _tag: "Refused" })
        yield* the.ref.dispatch({ _tag: "EndAgent", token: "a1", reason: "timeout", limit: 1, others: [] })
        assert.deepInclude(yield* Effect.flip(the.ends({ token: "a0" })), { _tag: "Refused" })
        assert.deepStrictEqual(the.processes.signals, [])
        yield* the.ends()
        assert.deepStrictEqual(the.processes.signals, [`SIGTERM ${agentPid}`, `SIGTERM ${childPid}`])
      }).pipe(Effect.scoped)
  )
})

describe("behaviour#stop", () => {
  it.effect(
    "the launch alone tells an agent from another with its pid and session: their tools carry the same tags",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        the.processes.end(agentPid)
        the.processes.run({ pid: agentPid, startTime: 100 })
        yield* the.awaits
        assert.deepStrictEqual(the.processes.trees.at(-1), {
          root: agentPid,
          tags: [{ environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }],
          others: [agentPid, 900],
          known: []
        })
      }).pipe(Effect.scoped)
  )
})
