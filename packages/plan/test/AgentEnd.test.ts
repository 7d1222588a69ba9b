import { assert, describe, it } from "@effect/vitest"
import {
  Agent,
  type AgentCommand,
  Claims,
  Launcher,
  type ProcessIdentity,
  Processes,
  type ResolvedSettings,
  Settings,
  untilSeenOver
} from "@souffleur/domain"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { awaitEnding, endAgent, isLeft } from "../src/agent/AgentEnd.ts"
import { PlanContext, type Git, ownRun, RunLog, type Assignment, dispatchRun } from "../src/index.ts"
import { plainWords, planOf } from "./PlanStage.ts"

const identity = (pid: number): ProcessIdentity => ({ pid, startTime: pid, bootId: "boot" })
const limit = Duration.minutes(6)
const [agentPid, childPid] = [101, 102]

/** An implementer at work, launched now, with a child. Records processes that its conductor looks for and signals. */
const scene = Effect.fnUntraced(function* () {
  const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
  const alive = new Set([agentPid, childPid])
  const sessions = [{ pid: 900, sessionId: "s9" }]
  const signals: Array<string> = []
  const trees: Array<ReadonlyArray<unknown>> = []
  const condition = ({ pid }: ProcessIdentity) =>
    Effect.sync(() => (alive.has(pid) ? ("running" as const) : ("gone" as const)))
  const processes = Processes.of({
    ...({} as Processes["Service"]),
    condition,
    untilOver: untilSeenOver(condition),
    tree: (...args) =>
      Effect.sync(() => {
        trees.push(args)
        return alive.has(childPid)
          ? [{ identity: identity(childPid), parent: 1, uid: 1000, name: "tool", condition: "running" as const }]
          : []
      }),
    signal: ({ pid }, signal) => Effect.sync(() => (signals.push(`${signal} ${pid}`), void alive.delete(pid)))
  })
  const agent = Agent.of({
    ...({} as Agent["Service"]),
    sessions: Effect.sync(
      () => [...(alive.has(agentPid) ? [{ pid: agentPid, sessionId: "s1" }] : []), ...sessions] as never
    ),
    tags: ({ pid, sessionId }) => [{ environment: { CLAUDE_PID: String(pid), CLAUDE_CODE_SESSION_ID: sessionId } }]
  })
  const claims = Claims.of({
    ...({} as Claims["Service"]),
    self: { host: "here", machine: "m", pidNamespace: "pid:[1]", process: identity(1) },
    isDead: () => Effect.succeed(false),
    claim: () => Effect.void,
    release: () => Effect.void
  })
  const operator = { _tag: "Operator" } as const
  const open = {
    workflowId: "w",
    project: "/p",
    plan: "/p/plan.yaml",
    digest: "d",
    tasks: planOf("t1").tasks,
    progress: null,
    found: null
  }
  yield* Effect.provideService(dispatchRun("r", { _tag: "Open", ...open }, operator), RunLog, log)
  const ref = yield* ownRun("r").pipe(
    Effect.provideService(RunLog, log),
    Effect.provideService(Claims, claims),
    Effect.provideService(Agent, agent),
    Effect.provideService(Processes, processes),
    Effect.provideService(Launcher, {} as Launcher["Service"])
  )
  yield* ref.dispatch({ _tag: "StartTask", taskId: "t1", base: null })
  yield* ref.dispatch({ _tag: "Ask", role: "implementer", sessionId: "s1", head: null })
  yield* ref.dispatch({ _tag: "Launched", token: "a1", launchId: "run-r-a1", process: identity(agentPid) })
  const assignment = Effect.map(ref.state, (run) => run.assignment!)
  const conductingWith = (finishing: PlanContext["Service"]["finishing"]) => ({
    ref,
    plan: planOf("t1"),
    git: {} as Git,
    words: plainWords(),
    statePath: "/p/state.json",
    requested: "acceptEdits" as const,
    commitSetting: "",
    finishing,
    finishingDigest: null
  })
  const conducts = <A, E>(
    effect: (assignment: Assignment) => Effect.Effect<A, E, PlanContext | Processes | Agent | Settings>,
    finishing: PlanContext["Service"]["finishing"] = null
  ) =>
    Effect.flatMap(assignment, effect).pipe(
      Effect.provideService(PlanContext, conductingWith(finishing)),
      Effect.provideService(Processes, processes),
      Effect.provideService(Agent, agent),
      Effect.provideService(Settings, Settings.of({ stopGrace: Duration.seconds(1) } as ResolvedSettings))
    )
  return {
    alive,
    sessions,
    signals,
    trees,
    ref,
    awaits: conducts((assignment) => awaitEnding(assignment, assignment.launch!, limit)),
    /** Awaits the same agent as the finishing step: a command of the user, or an agent. */
    finishes: (command: AgentCommand | null) =>
      conducts((assignment) => awaitEnding({ ...assignment, role: "finisher" }, assignment.launch!, limit), command),
    /** Ends the agent for another assignment than the current one. */
    ends: (change: Partial<Assignment> = {}) =>
      conducts((assignment) => endAgent({ ...assignment, ...change }, assignment.launch!)),
    left: conducts((assignment) => isLeft(assignment, assignment.launch!))
  }
})

describe("an agent", () => {
  it.effect(
    "an agent has its time from its launch on, also without a conductor; its end is in the log, with its limit",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        yield* TestClock.adjust("4 minutes")
        const waiting = yield* Effect.forkChild(the.awaits)
        yield* TestClock.adjust("119 seconds")
        assert.isNull((yield* the.ref.state).assignment?.ending)
        yield* TestClock.adjust("1 seconds")
        assert.deepStrictEqual(yield* Fiber.join(waiting), { reason: "timeout", limit: 360_000 })
        assert.deepStrictEqual((yield* the.ref.state).assignment?.ending, { reason: "timeout", limit: 360_000 })
        // The agent is not one of the others.
        assert.deepStrictEqual(the.trees[0]?.[2], [900])
        assert.deepStrictEqual(the.signals, [])
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
        the.alive.delete(agentPid)
        assert.isTrue(yield* the.left)
        assert.strictEqual((yield* the.awaits)?.reason, "left running")
        const other = yield* scene()
        other.alive.clear()
        assert.isFalse(yield* other.left)
        assert.isNull(yield* other.awaits)
      }).pipe(Effect.scoped)
  )
  it.effect("a finishing command of the user may leave something running; an agent may not", () =>
    Effect.gen(function* () {
      const the = yield* scene()
      the.alive.delete(agentPid)
      assert.isNull(yield* the.finishes({ program: "/finish", args: [], environment: {} }))
      assert.strictEqual((yield* the.finishes(null))?.reason, "left running")
    }).pipe(Effect.scoped)
  )
  it.effect(
    "an agent's processes are known by its process, its session and its launch; other sessions are spared",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        the.alive.delete(agentPid)
        yield* the.awaits
        const tags = [
          { environment: { CLAUDE_PID: String(agentPid), CLAUDE_CODE_SESSION_ID: "s1" } },
          { environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }
        ]
        assert.deepStrictEqual(the.trees[0], [identity(agentPid), tags, [900], []])
      }).pipe(Effect.scoped)
  )
  it.effect(
    "the launch alone tells an agent from another with its pid and session: their tools carry the same tags",
    () =>
      Effect.gen(function* () {
        const the = yield* scene()
        the.alive.delete(agentPid)
        the.sessions.push({ pid: agentPid, sessionId: "s1" })
        yield* the.awaits
        assert.deepStrictEqual(the.trees[0], [
          identity(agentPid),
          [{ environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } }],
          [900, agentPid],
          []
        ])
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
        assert.deepStrictEqual(the.signals, [])
        yield* the.ends()
        assert.deepStrictEqual(the.signals, [`SIGTERM ${agentPid}`, `SIGTERM ${childPid}`])
      }).pipe(Effect.scoped)
  )
})
