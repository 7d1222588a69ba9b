import { described, describedBy, type Describers, describeLost, describePin, Words } from "@souffleur/domain"
import { pauseInWords } from "../decide/Pause.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { firstSuspect } from "./WorkProblem.ts"

/** The kinds of a notice of a run. */
export type RunNoticeKind =
  | "escalated"
  | "paused"
  | "finished"
  | "usage_limit"
  | "outage"
  | "untrusted_config"
  | "cleared"

const { deadline, duration, many, time } = Words

const needsPerson = (id: string, escalation: { readonly reason: string } | undefined): string =>
  `Task ${id} needs a person${escalation === undefined ? "" : ` (${escalation.reason})`}`

const describers: Describers<RunEvent, RunNoticeKind> = {
  ...describePin,
  ...describeLost,
  RunOpened: ({ plan, tasks, workflowId }) =>
    described("info", `souffleur conducts workflow ${workflowId}: ${many(tasks.length, "task")} of ${plan}`),
  PlanRevised: ({ changed, tasks }) =>
    changed.length === 0
      ? described("info", `The plan changed: ${many(tasks.length, "task")}`)
      : described(
          "warning",
          `The plan changed: ${many(tasks.length, "task")}. Completed tasks whose text changed stay as they are: ${changed.join(", ")}`
        ),
  RunTaken: ({ fence, owner }) =>
    described("detail", `souffleur (pid ${owner.process.pid}) conducts the run (fence ${fence})`),
  RunLeft: () => described("info", "souffleur left"),
  ProgressImported: ({ from, tasks }) => {
    const text = `Progress of ${many(tasks.length, "task")} was taken over from ${from === "state" ? "state.json" : "its backup"}`
    const escalated = tasks.find(({ status }) => status === "escalated")
    return escalated === undefined
      ? described("info", text)
      : described("info", `${text}. ${needsPerson(escalated.id, escalated.escalation)}`, {
          message: "error",
          notice: "escalated",
          words: escalated.escalation?.message
        })
  },
  UnknownTaskSkipped: ({ taskId }) => described("warning", `Task ${taskId} is skipped: it is not in the plan`),
  StateFileRebuilt: ({ found, from, kept }) =>
    described(
      "warning",
      kept === null
        ? `The state file was ${found}, and is made again from the ${from}`
        : `The state file is new: ${found === "backup" ? "a backup of another run" : "the file that was there"} is kept as ${kept}`
    ),
  TaskStarted: ({ taskId }) => described("info", `Task ${taskId} starts`),
  AgentAsked: ({ agent, attempt, resumed, role, taskId }) =>
    described(
      "info",
      role === "finisher"
        ? "The finishing step starts"
        : `${resumed ? "The same" : "A fresh"} ${role} is asked for task ${taskId}, attempt ${attempt}${agent === undefined ? "" : `, by ${agent}`}`
    ),
  AgentPrepared: ({ effective, launchId, requested }) =>
    described(
      "detail",
      `Launch ${launchId} is prepared with permission ${effective}${requested === effective ? "" : ` (asked for ${requested})`}`
    ),
  AgentLaunched: ({ process }) => described("detail", `The agent runs: pid ${process.pid}`),
  AgentSessionFound: ({ sessionId }) => described("detail", `The agent has session ${sessionId}`),
  AgentNeverRan: () => described("info", "The agent was never launched. Another is asked"),
  AgentEnding: ({ reason, launchedAt, limit, others, process }, zone) =>
    described(
      "warning",
      reason === "timeout"
        ? `The agent's time is over: it runs since ${time(launchedAt, zone)}, longer than ${duration(limit)}. souffleur ends pid ${[process.pid, ...others].join(", ")}`
        : `The agent ended and left something running. souffleur ends pid ${others.join(", ")}`
    ),
  ImplementationCompleted: ({ commits, files, taskId }) =>
    described(
      "info",
      `Task ${taskId} is implemented: ${many(commits.length, "commit")}, ${many(files.length, "file")}`
    ),
  ImplementationBlocked: ({ message, taskId }) => described("info", `Task ${taskId} is blocked: ${message}`),
  ImplementationFailed: ({ message, hint, taskId }) =>
    described(
      "warning",
      `An attempt at task ${taskId} failed: ${message}${hint === null ? "" : `; ${firstSuspect(hint)}`}`
    ),
  ReviewApproved: ({ summary, taskId }) => described("info", `The reviewer approved task ${taskId}: ${summary}`),
  ReviewRejected: ({ feedback: { issues, summary }, taskId }) =>
    described(
      "warning",
      `The reviewer rejected task ${taskId}${issues.length === 0 ? "" : ` (${many(issues.length, "issue")})`}: ${summary}`
    ),
  ReviewFailed: ({ message, taskId }) => described("warning", `A review of task ${taskId} failed: ${message}`),
  WorkChanged: ({ commits, taskId }) =>
    described(
      "warning",
      commits.length === 0
        ? `Task ${taskId} is implemented again: its commits are gone`
        : `The work of task ${taskId} changed since: ${many(commits.length, "commit")} to review`
    ),
  AgentLimited: ({ at, kind, resetsAt, taskId, until }, zone) =>
    described(
      "warning",
      `${kind === "outage" ? "An outage of the service" : "A usage limit"} holds ${taskId === null ? "the finishing step" : `task ${taskId}`} up until ${deadline(until, at, zone)}${resetsAt === null ? ", a guess" : ""}. No attempt is counted`,
      { message: "warning", notice: kind === "outage" ? "outage" : "usage_limit" }
    ),
  LimitWaitEnded: () => described("info", "The wait is over: an agent is asked again"),
  TaskCompleted: ({ taskId }) => described("success", `Task ${taskId} is complete`),
  TaskEscalated: ({ reason, message, taskId }) =>
    described("error", needsPerson(taskId, { reason }), { message: "error", notice: "escalated", words: message }),
  TaskAnswered: ({ answer, taskId }) =>
    described("info", `A person answered for task ${taskId}: ${answer}`, { message: "system", notice: "cleared" }),
  RunPaused: (event) =>
    described("error", `The run is paused: ${pauseInWords(event)}`, { message: "error", notice: "paused" }),
  RunResumed: () =>
    described("info", "The run goes on: the cause of its pause is mended", { message: "system", notice: "cleared" }),
  RunVerified: ({ commits, completed, files, missing, skipped }) =>
    described(
      "success",
      `Every task is complete: ${completed} done, ${skipped} skipped, ${many(commits, "commit")}, ${many(files, "file")}${missing.length === 0 ? "" : `. HEAD no longer has ${missing.join(", ")}`}`
    ),
  RunFinished: ({ message, finishing }) =>
    finishing === "failed"
      ? described("error", "The finishing step failed", { message: "error", notice: "finished", words: message })
      : described(
          "success",
          finishing === "none" ? "The run is done" : "The finishing step is done, and the run with it",
          {
            message: "completion",
            notice: "finished"
          }
        ),
  FinishingAnswered: ({ answer }) =>
    described(
      "info",
      `A person answered: the finishing step is ${answer === "skip" ? "left as it is" : "asked once more"}`,
      {
        message: "system",
        notice: "cleared"
      }
    )
}

/** Describes an event of a run: its sentence, its severity, and what comms and a person are told of it. */
export const describeRunEvent = describedBy(describers)
