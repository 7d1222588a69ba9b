import { firstSuspect, grievancesOf, noCommit, type Run, type RunEvent, streamOf, type Task, taskOf } from "@souffleur/conductor"
import { type Condition, iso, overreachInWords, plain, trustInWords, withdrawnInWords } from "@souffleur/domain"
import { type RecordedAs } from "@souffleur/eventlog"
import { Match } from "effect"
import { mostOfLine, type Paint } from "../Printing.ts"
import { deadline, when } from "./Standing.ts"
import { inWords } from "./Telling.ts"

const many = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`
const idOf = (stream: string) => stream.slice(streamOf("").length)

/** What happened to a run, in plain words, on one line. */
export const runSentence = (event: RunEvent, progress = ""): string => plain(`${words(event)}${progress}`, mostOfLine)

const words = (event: RunEvent): string =>
  Match.valueTags(event, {
    RunOpened: ({ plan, tasks, workflowId }) => `workflow ${workflowId}: ${many(tasks.length, "task")} of ${plan}`,
    PlanRevised: ({ changed, tasks }) =>
      `the plan was changed: ${many(tasks.length, "task")}${changed.length === 0 ? "" : `; warning: ${changed.join(", ")} ${changed.length === 1 ? "is complete and has" : "are complete and have"} changed since: what was done stays as it is`}`,
    RunTaken: ({ fence, owner }) => `souffleur pid ${owner.process.pid} conducts (fence ${fence})`,
    RunLeft: () => "souffleur left",
    ProgressImported: ({ from, tasks }) =>
      `progress of ${many(tasks.length, "task")} was taken over from ${from === "state" ? "state.json" : "its backup"}`,
    UnknownTaskSkipped: ({ taskId }) => `warning: task ${taskId} is not in the plan: it is skipped`,
    StateFileRebuilt: ({ found, from, kept }) =>
      kept !== null
        ? `warning: ${found === "backup" ? "a backup of another run" : "what stood in the state file"} is kept as ${kept}`
        : `warning: the state file was ${found}: it is made anew from the ${from}`,
    TaskStarted: ({ taskId }) => `task ${taskId} begins`,
    AgentAsked: ({ attempt, resumed, role, taskId }) =>
      role === "finisher"
        ? "the finishing step begins"
        : `${taskId}: ${resumed ? "the same" : "a fresh"} ${role}${role === "implementer" ? `, attempt ${attempt}` : ` of attempt ${attempt}`}`,
    AgentPrepared: ({ effective, launchId, requested }) =>
      `launch ${launchId} is prepared, permission ${effective}${requested === effective ? "" : ` (asked for ${requested})`}`,
    AgentLaunched: ({ process }) => `it runs: pid ${process.pid}`,
    AgentNeverRan: () => "that agent was never launched: another is asked",
    AgentEnding: ({ cause, launchedAt, limit, others, process }) =>
      cause === "timeout"
        ? `its time is over: it runs since ${when(launchedAt)}, longer than ${inWords(limit)}: pid ${[process.pid, ...others].join(", ")} is ended`
        : `it has ended, and left something running: pid ${others.join(", ")} is ended`,
    ImplementationCompleted: ({ commits, files, taskId }) =>
      `${taskId}: implemented, ${many(commits.length, "commit")}, ${many(files.length, "file")}`,
    ImplementationBlocked: ({ reason, taskId }) => `${taskId}: blocked: ${reason}`,
    ImplementationFailed: ({ detail, taskId }) =>
      `${taskId}: the attempt failed: ${detail}${detail === noCommit ? `; ${firstSuspect}` : ""}`,
    ReviewApproved: ({ summary, taskId }) => `${taskId}: approved: ${summary}`,
    ReviewRejected: ({ feedback, taskId }) =>
      `${taskId}: rejected: ${feedback.summary}${feedback.issues.length === 0 ? "" : ` (${many(feedback.issues.length, "issue")})`}`,
    ReviewFailed: ({ detail, taskId }) => `${taskId}: the review failed: ${detail}`,
    WorkChanged: ({ commits, taskId }) =>
      commits.length === 0
        ? `${taskId}: its commits are not there any more: it is implemented anew`
        : `${taskId}: somebody has changed the work since: ${many(commits.length, "commit")} to review`,
    AgentLimited: ({ at, kind, resetsAt, taskId, until }) =>
      `${taskId ?? "the finishing step"}: ${kind === "outage" ? "the service is out" : "a usage limit"}: waiting until ${deadline(until, at)}${resetsAt === null ? " (nobody says how long it lasts)" : ""}; no attempt is counted`,
    LimitWaitEnded: () => "the wait is over: an agent is asked again",
    TaskCompleted: ({ taskId }) => `task ${taskId} is complete`,
    TaskEscalated: ({ reason, taskId }) => `task ${taskId} is escalated: ${reason}`,
    TaskAnswered: ({ answer, taskId }) => `${taskId}: the user answered: ${answer}`,
    RunPaused: ({ cause, files, why }) =>
      cause === "conflict"
        ? `paused: git has conflicts in ${files.join(", ")}`
        : cause === "dirty"
          ? `paused: not committed: ${files.join(", ")}`
          : cause === "work lost"
            ? `paused: work that was approved is not there any more: ${why}`
            : cause === "history"
              ? `paused: git is not where the run goes on: ${why}`
              : cause === "failed"
                ? `paused: it cannot go on: ${why}`
                : `paused: an agent cannot be ended: ${why}`,
    RunResumed: () => "that is put right: the run goes on",
    RunVerified: ({ commits, completed, files, missing, skipped }) =>
      `every task is complete: ${completed} done, ${skipped} skipped, ${many(commits, "commit")}, ${many(files, "file")}${missing.length === 0 ? "" : `; HEAD has not any more: ${missing.join(", ")}`}`,
    RunFinished: ({ detail, finishing }) =>
      finishing === "failed" ? `the finishing step failed: ${detail}` : finishing === "none" ? "the run is done" : "finished",
    ConfigOverreached: overreachInWords,
    ConfigWithdrawn: () => withdrawnInWords,
    TrustGiven: trustInWords,
    FinishingAnswered: ({ answer }) => `the user answered: the finishing step is ${answer === "skip" ? "left as it is" : "asked once more"}`
  })

const colourOf = (event: RunEvent): "red" | "green" | "yellow" | "dim" | undefined => {
  switch (event._tag) {
    case "TaskEscalated":
    case "RunPaused":
      return "red"
    case "TaskCompleted":
    case "RunVerified":
      return "green"
    case "RunFinished":
      return event.finishing === "failed" ? "red" : "green"
    case "PlanRevised":
      return event.changed.length === 0 ? undefined : "yellow"
    case "ConfigOverreached":
    case "TrustGiven":
    case "ImplementationFailed":
    case "AgentLimited":
    case "AgentEnding":
    case "WorkChanged":
    case "ReviewFailed":
    case "ReviewRejected":
    case "UnknownTaskSkipped":
    case "StateFileRebuilt":
      return "yellow"
    case "AgentPrepared":
    case "AgentLaunched":
    case "RunTaken":
      return "dim"
    default:
      return undefined
  }
}

export const runLine = ({ event, revision }: RecordedAs<RunEvent>, brush: Paint, progress = ""): string => {
  const colour = colourOf(event)
  const text = runSentence(event, progress)
  return `${brush("dim", `${when(event.at)} ${String(revision).padStart(3)}`)}  ${colour === undefined ? text : brush(colour, text)}`
}

/** One event as a program reads it. */
export const runJsonLine = ({ event: { _tag, at, ...fields }, revision, stream }: RecordedAs<RunEvent>): string =>
  JSON.stringify({ run: idOf(stream), revision, at: iso(at), _tag, ...fields })

const pauses = {
  conflict: { standing: "paused: a git conflict", what: "resolve the conflicts in" },
  dirty: { standing: "paused: uncommitted changes", what: "commit or put away the changes in" },
  "not gone": { standing: "paused: an agent cannot be ended", what: "end what is left of its agent:" },
  history: {
    standing: "paused: git is elsewhere",
    what: "put this right, or go on from there with souffleur conduct answer TASK --retry:"
  },
  failed: { standing: "paused: it cannot go on", what: "put this right:" },
  "work lost": {
    standing: "paused: work that was approved is gone",
    what: "bring the commits back, or answer each of these tasks with --retry or --skip:"
  }
} as const

/** Where a run stands, in a few words. */
export const runStanding = (run: Run, agent: Condition | null = null): string => plain(standing(run, agent))

const standing = (run: Run, agent: Condition | null): string => {
  if (run.overreach !== undefined && run.paused === null && run.phase !== "finished") return `${goingOn(run, agent)}, config not trusted`
  return goingOn(run, agent)
}

/** `agent`: in which condition its process was seen, `null` where nobody looked. */
const goingOn = (run: Run, agent: Condition | null): string => {
  if (run.phase === "finished")
    return run.finishingFailure === null ? "complete" : `complete, but for its finishing step: ${run.finishingFailure}`
  if (run.paused !== null) return pauses[run.paused.cause].standing
  const escalated = run.tasks.find(({ status }) => status === "escalated")
  if (escalated !== undefined) return `waits for an answer on ${escalated.id}`
  if (run.wait !== null)
    return `waits for ${run.wait.kind === "outage" ? "the service" : "a usage limit"} until ${deadline(run.wait.until, run.lastEventAt)}`
  if (run.turn !== null)
    return run.turn.role === "finisher"
      ? "finishing"
      : `${run.turn.taskId}: ${run.turn.role} ${agent === "gone" || agent === "zombie" ? "has ended" : run.turn.ending === null ? "at work" : "is ended"}${run.turn.launch === null ? "" : `, pid ${run.turn.launch.process.pid}`}`
  return run.phase === "completion" ? "completion" : (taskOf(run, run.current)?.id ?? "between tasks")
}

/** What a launch has printed is in that file. */
type OutputOf = (launchId: string) => string

/** What is wrong with a task that is escalated, and what its newest agent has printed. */
const grievances = (task: Task, outputOf: OutputOf): ReadonlyArray<string> =>
  task.escalation === null
    ? []
    : [
        ...grievancesOf(task, task.escalation.cause),
        ...(task.lastLaunch === null ? [] : [`what its last agent printed: ${outputOf(task.lastLaunch)}`])
      ]

/**
 * What a run that cannot go on needs of a person, and by which command it is told, where there is one; with `outputOf` also what is wrong
 * with a task, a line each.
 */
export const runNeeds = (id: string, run: Run, outputOf?: OutputOf): ReadonlyArray<string> =>
  needs(id, run, outputOf).map((line) => plain(line, mostOfLine))

const needs = (id: string, { finishingFailure, paused, tasks }: Run, outputOf?: OutputOf): ReadonlyArray<string> => {
  if (finishingFailure !== null)
    return [
      `run ${id}: every task is complete, and the finishing step failed: ${finishingFailure}`,
      "souffleur conduct answer --finishing --retry, or --skip"
    ]
  if (paused !== null) {
    return [`run ${id} is paused: ${pauses[paused.cause].what} ${paused.files.length === 0 ? paused.why : paused.files.join(", ")}`]
  }
  const task = tasks.find(({ status }) => status === "escalated")
  return [
    `run ${id} needs you on task ${task?.id} (${task?.escalation?.cause}): ${task?.escalation?.reason}`,
    ...(task === undefined || outputOf === undefined ? [] : grievances(task, outputOf)),
    `souffleur conduct answer ${task?.id} "what to do", or --retry, or --skip`
  ]
}

export const taskLines = (task: Task, outputOf: OutputOf): ReadonlyArray<string> => {
  const counts = [
    ...(task.attempts === 0 ? [] : [many(task.attempts, "attempt")]),
    ...(task.feedback.length === 0 ? [] : [many(task.feedback.length, "rejection")]),
    ...(task.work.commits.length === 0 ? [] : [many(task.work.commits.length, "commit")])
  ]
  const status = task.skipped ? "skipped" : task.status.replace("_", " ")
  return [
    `  ${task.id}  ${status}  ${task.title}${counts.length === 0 ? "" : `  (${counts.join(", ")})`}`,
    ...(task.escalation === null ? [] : [task.escalation.reason, ...grievances(task, outputOf)].map((line) => `    ${line}`))
  ].map((line) => plain(line, mostOfLine))
}
