import {
  type Agent,
  type AgentCommand,
  type Launcher,
  type Processes,
  type ResolvedSettings,
  Settings
} from "@souffleur/domain"
import { type FakeAgent, FakeWorld, identityOf } from "@souffleur/testing"
import { Context, Duration, Effect, type FileSystem, Layer } from "effect"
import { awaitEnding, endAgent, isLeft } from "../src/agent/AgentEnd.ts"
import { awaitAgent } from "../src/agent/Assignment.ts"
import { PlanContext, type Git, ownRun, RunLog, type Assignment, dispatchRun } from "../src/index.ts"
import { plainWords, planOf } from "./PlanStage.ts"

export const limit = Duration.minutes(6)
export const [agentPid, childPid] = [101, 102]

/**
 * An implementer at work, launched now, with a child, beside another session. `reports`: the session that it tells,
 * where it chooses its id.
 */
export const agentScene = Effect.fnUntraced(function* (reports?: FakeAgent["reports"]) {
  const log = Context.get(yield* Layer.build(RunLog.layerMemory), RunLog)
  const { agent, claims, files, launcher, processes } = new FakeWorld()
  agent.reports = reports
  processes.run(
    { pid: agentPid },
    { pid: childPid, parent: agentPid, environment: { SOUFFLEUR_LAUNCH_ID: "run-r-a1" } },
    { pid: 900 }
  )
  agent.sessions = [
    { pid: agentPid, sessionId: "s1" },
    { pid: 900, sessionId: "s9" }
  ]
  const ports = Layer.mergeAll(agent.layer, claims.layer, launcher.layer, processes.layer).pipe(
    Layer.provideMerge(files.layer)
  )
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
  const ref = yield* ownRun("r").pipe(Effect.provideService(RunLog, log), Effect.provide(ports))
  yield* ref.dispatch({ _tag: "StartTask", taskId: "t1", base: null })
  yield* ref.dispatch({ _tag: "Ask", role: "implementer", sessionId: reports === undefined ? "s1" : "", head: null })
  yield* ref.dispatch({ _tag: "Launched", token: "a1", launchId: "run-r-a1", process: identityOf(agentPid) })
  const assignment = Effect.map(ref.state, (run) => run.assignments[0]!)
  const conductingWith = (finishing: PlanContext["Service"]["finishing"]) => ({
    ref,
    plan: planOf("t1"),
    read: Effect.succeed({ plan: planOf("t1"), finishing }),
    git: {} as Git,
    words: plainWords(),
    statePath: "/p/state.json",
    requested: "acceptEdits" as const,
    agents: {},
    commitSetting: "",
    finishing
  })
  const conducts = <A, E>(
    effect: (
      assignment: Assignment
    ) => Effect.Effect<A, E, PlanContext | Processes | Agent | Settings | Launcher | RunLog | FileSystem.FileSystem>,
    finishing: PlanContext["Service"]["finishing"] = null
  ) =>
    Effect.flatMap(assignment, effect).pipe(
      Effect.provideService(PlanContext, conductingWith(finishing)),
      Effect.provideService(RunLog, log),
      Effect.provide(ports),
      Effect.provideService(
        Settings,
        Settings.of({
          stopGrace: Duration.seconds(1),
          implementerTimeout: limit,
          watcherInterval: Duration.minutes(1)
        } as ResolvedSettings)
      )
    )
  return {
    agent,
    processes,
    ref,
    files,
    /** Awaits the agent as its conductor does, to what it said. */
    follows: conducts((assignment) => awaitAgent(assignment, assignment.launch!)),
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
