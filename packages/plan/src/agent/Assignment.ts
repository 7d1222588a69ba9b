import {
  Agent,
  type AgentCommand,
  ceilingNow,
  clamp,
  type EffectivePermission,
  endedWell,
  freshUuid,
  isSessionKnown,
  Launcher,
  LaunchFailed,
  type ProcessEnd,
  Settings,
  Words
} from "@souffleur/domain"
import { agentCommand, chosenAgent, launchOnce, sessionToBegin, tellingOutput } from "@souffleur/process"
import { Clock, Duration, Effect, type FileSystem, Option, type Path } from "effect"
import { awaitEnding, endAgent } from "./AgentEnd.ts"
import { printedAt, saidIn, unknownFlagIn } from "./SaidOutput.ts"
import { assignedAgent, reportSession, type RunningLaunch } from "./AssignedAgent.ts"
import { PlanContext } from "../PlanContext.ts"
import type { GitUnusable } from "../git/GitUnusable.ts"
import { choiceNow } from "../decide/AgentChoice.ts"
import type { AgentReport } from "../decide/Ladder.ts"
import { roleChoice } from "../tasks/PlanAgents.ts"
import { finisherPrompt, implementerPrompt, nudgePrompt } from "./Prompt.ts"
import { questionsPrompt } from "./QuestionsPrompt.ts"
import { reviewerPrompt } from "./ReviewPrompt.ts"
import { formAsked, verdictForm } from "./VerdictForm.ts"
import { launchIdOf, type Run, taskOf, type Assignment } from "../run/Run.ts"
import type { AgentRole } from "../run/RunEvent.ts"

/**
 * Returns the prompt of an agent, with the word of its launch. Fails with `LaunchFailed` where the plan no longer has
 * the task.
 */
const promptOf = Effect.fnUntraced(
  function* (run: Run, { nudge, role, taskId }: Assignment, word: string) {
    const { git, plan, skillPrompt = "" } = yield* PlanContext
    if (role === "finisher") return finisherPrompt(run, plan.finish, skillPrompt)
    if (taskId === null) return questionsPrompt(plan, word)
    const [planned, task] = [plan.tasks.find(({ id }) => id === taskId), taskOf(run, taskId)]
    if (planned === undefined || task === undefined)
      return yield* new LaunchFailed({ message: `task ${taskId} is no longer in the plan` })
    const untrackedBefore = task.untracked
    const forgotten =
      untrackedBefore === null ? [] : (yield* git.untracked).filter((file) => !untrackedBefore.includes(file))
    if (nudge !== null) return nudgePrompt(role, nudge, word, role === "implementer" ? forgotten : [])
    if (role === "implementer") return implementerPrompt(planned, task, word, forgotten)
    // A later commit may have removed it.
    const { reviewed, work } = task
    const there = work.testFile !== null && (yield* git.has(work.testFile))
    const since = reviewed === null ? undefined : yield* git.since(reviewed)
    return reviewerPrompt(planned, { ...task, work: { ...work, testFile: there ? work.testFile : null } }, word, {
      forgotten,
      since
    })
  },
  // No argument of a program may have a NUL.
  Effect.map((prompt) => prompt.replaceAll("\0", " "))
)

const commandOf = Effect.fnUntraced(function* (
  run: Run,
  assignment: Assignment,
  permission: EffectivePermission,
  word: string
): Effect.fn.Return<
  AgentCommand,
  LaunchFailed | GitUnusable,
  Agent | FileSystem.FileSystem | Path.Path | PlanContext | Settings
> {
  const { finishing } = yield* PlanContext
  const { agent, choice, role } = assignment
  if (role === "finisher" && finishing !== null) return finishing
  const session = {
    _tag: assignment.resumed ? ("Resume" as const) : ("Fresh" as const),
    sessionId: assignment.sessionId
  }
  const form = yield* verdictForm(assignment)
  const prompt = `${yield* promptOf(run, assignment, word)}${form === undefined ? "" : formAsked(word)}`
  const looks = role === "reviewer"
  return yield* Effect.provideService(
    agentCommand({
      session,
      permission,
      prompt,
      print: true,
      choice,
      ...(looks ? { looks } : {}),
      ...(form === undefined ? {} : { form })
    }),
    Agent,
    chosenAgent(yield* Agent, agent ?? undefined)
  )
})

/**
 * Launches an agent whose intent is in the log. The launch file comes first, next its digest in the log, then the act
 * (spec: behaviour#launch-at-most-once).
 */
const launch = Effect.fn("Assignment.launch")(function* (run: Run, assignment: Assignment) {
  const { git, ref, requested, words } = yield* PlanContext
  const launchId = launchIdOf(ref.id, assignment.token)
  const effective = clamp(requested, yield* ceilingNow(ref.dispatch))
  const said = yield* words.fresh
  const command = yield* commandOf(run, assignment, effective, said)
  const word = assignment.role === "finisher" ? null : yield* words.digest(said)
  const record = (digest: string) =>
    ref.dispatch({ _tag: "Prepare", token: assignment.token, launchId, digest, requested, effective, word }).pipe(
      // A person lowered the ceiling in between.
      Effect.catchIf(
        (error) => error._tag === "Refused" && error.reason === "never",
        ({ message }) => Effect.fail(new LaunchFailed({ message }))
      )
    )
  const title = `${assignment.role} ${assignment.taskId ?? ""}`.trimEnd()
  const process = yield* launchOnce({ id: launchId, command, cwd: git.folder, title }, record)
  return yield* ref.dispatch({ _tag: "Launched", token: assignment.token, launchId, process })
})

/** Asks for an agent, of a task where it has one, and launches it. A launch that fails is a failed assignment. */
export const askAgent = Effect.fn("askAgent")(function* (role: AgentRole, taskId?: string) {
  const agent = yield* Agent
  const { agents, finishing, git, plan, ref } = yield* PlanContext
  const wanted = roleChoice(agents, plan.agents, role)
  const { choice, ...stands } = choiceNow(yield* ref.state, wanted, role, yield* Clock.currentTimeMillis)
  const isCommand = role === "finisher" && finishing !== null
  const held = (yield* agent.sessions).map(({ sessionId }) => sessionId)
  const run = yield* ref.dispatch({
    _tag: "Ask",
    role,
    taskId,
    sessionId: yield* isCommand
      ? freshUuid
      : Effect.provideService(sessionToBegin, Agent, chosenAgent(agent, choice.agent)),
    head: yield* git.head,
    held,
    choice,
    ...stands
  })
  const assignment = run.assignments.find((one) => one.role === role && (taskId === undefined || one.taskId === taskId))
  if (assignment === undefined) return run
  return yield* Effect.catchTag(launch(run, assignment), "LaunchFailed", ({ message }) =>
    ref.dispatch({
      _tag: "Report",
      token: assignment.token,
      report: { _tag: "Failed", reason: "launch", message: `it could not be launched: ${message}` }
    })
  )
})

/**
 * Settles whether the agent of an assignment runs, after a crash between the intent and the outcome of its launch. The
 * answer is final.
 */
export const settleAssignment = Effect.fn("settleAssignment")(function* (assignment: Assignment) {
  const launcher = yield* Launcher
  const { ref } = yield* PlanContext
  const launchId = launchIdOf(ref.id, assignment.token)
  const taken = yield* launcher.settle(launchId)
  return yield* ref.dispatch(
    Option.match(taken, {
      onNone: () => ({ _tag: "NeverRan" as const, token: assignment.token }),
      onSome: (process) => ({ _tag: "Launched" as const, token: assignment.token, launchId, process })
    })
  )
})

/** An agent's end. */
export type AgentEnded =
  | {
      readonly _tag: "Ended"
      /** The end of its output, as it is. */
      readonly printed: string
      /** The answers in it, where it prints records for programs; else the same. */
      readonly said: string
      /** Its end as its parent saw it; `null`: unknown. */
      readonly end: ProcessEnd | null
      /** The path of its standard output. */
      readonly output: string
      /** The path of what says why it failed. */
      readonly telling: string
      /** The flag that its program says it does not know; absent: none. */
      readonly unknownFlag?: string
    }
  | Extract<AgentReport, { readonly _tag: "Failed" | "Stopped" }>

/** Waits for an agent's end, at most until its time is over. Ends what it left running. */
export const awaitAgent = Effect.fn("awaitAgent")(function* (asked: Assignment, started: RunningLaunch) {
  const launcher = yield* Launcher
  const settings = yield* Settings
  const limit = asked.role === "reviewer" ? settings.reviewerTimeout : settings.implementerTimeout
  const ending = asked.ending ?? (yield* awaitEnding(asked, started, limit))
  const assignment = yield* reportSession(asked, started)
  if (ending !== null) yield* endAgent(assignment, started)
  if (ending?.reason === "stopped") return { _tag: "Stopped" } satisfies AgentEnded
  if (ending?.reason === "timeout") {
    const took = Duration.format(Duration.millis(ending.limit))
    return {
      _tag: "Failed",
      reason: "timeout",
      message: `the ${assignment.role} took longer than ${took}`
    } satisfies AgentEnded
  }
  if (ending?.reason === "hung") {
    const { toolResults } = yield* assignedAgent(assignment)
    const { role, sessionId } = assignment
    return {
      _tag: "Failed",
      reason: "hung",
      message: `the ${role} hung: it gave no sign of life for ${Words.duration(ending.limit)}`,
      cutOffAfter: isSessionKnown(sessionId) ? yield* toolResults([sessionId]) : 0
    } satisfies AgentEnded
  }
  // The end of one that lingered is souffleur's own doing: its records say how its turn ended.
  const own = ending?.reason === "lingering" ? Option.none() : yield* launcher.endOf(started.launchId)
  const end = Option.getOrNull(own)?.end ?? null
  const output = launcher.outputPath(started.launchId)
  const { outputReader } = yield* assignedAgent(assignment)
  const printed = yield* printedAt(output)
  const telling = yield* tellingOutput(started.launchId)
  const unknownFlag = endedWell(end) ? undefined : unknownFlagIn(yield* printedAt(telling))
  return {
    _tag: "Ended",
    printed,
    said: saidIn(printed, outputReader()),
    end,
    output,
    telling,
    ...(unknownFlag === undefined ? {} : { unknownFlag })
  } satisfies AgentEnded
})
