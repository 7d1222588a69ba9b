import {
  described,
  describedBy,
  type Describers,
  describeLost,
  describePhone,
  describePin,
  mendedBy,
  type ModelChoice,
  utc,
  Words,
  type Zone
} from "@souffleur/domain"
import { numbered, pauseInWords } from "../decide/Pause.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { type Delivered, isPersons, refusalEnd, type Used } from "../run/RunFields.ts"
import { firstSuspect } from "./WorkProblem.ts"

/** The kinds of a notice of a run. */
export type RunNoticeKind =
  | "escalated"
  | "paused"
  | "finished"
  | "usage_limit"
  | "outage"
  | "waiting_for_a_person"
  | "untrusted_config"
  | "warning"
  | "cleared"

const { capital, deadline, duration, many, time } = Words

/** Says what agents used. */
export const usedInWords = ({ dollars, tokens }: Used): string =>
  [`${Words.count(tokens)} tokens`, ...(dollars === 0 ? [] : [Words.dollars(dollars)])].join(", ")

const endedWaits = {
  time: "the wait is over",
  login: "the login was renewed",
  operator: "an operator lets the run go on"
} as const

/** Counts findings by their kind, in brackets. */
const counted = (findings: Readonly<Record<string, ReadonlyArray<string>>>): string => {
  const counts = Object.entries(findings).flatMap(([what, all]) => (all.length === 0 ? [] : [many(all.length, what)]))
  return counts.length === 0 ? "" : ` (${counts.join(", ")})`
}

const needsPerson = (id: string, escalation: { readonly reason: string } | undefined): string =>
  `task ${id} needs a person${escalation === undefined ? "" : ` (${escalation.reason})`}`

/** A server of notices gets no address. */
const broughtBy = (delivered: Delivered | null) =>
  delivered === null
    ? ""
    : delivered._tag === "Merged"
      ? `: its branch is merged into ${delivered.into}`
      : `: its branch is pushed to ${delivered.remote}${delivered.url === null ? "" : ", with a pull request"}`

/** Says which agent was chosen, and with what. */
const byWhom = (agent: string | undefined, { effort, model }: ModelChoice = {}): string => {
  const what = [...(model === undefined ? [] : [model]), ...(effort === undefined ? [] : [`effort ${effort}`])]
  const by = [
    ...(agent === undefined ? [] : [`by ${agent}`]),
    ...(what.length === 0 ? [] : [`with ${what.join(", ")}`])
  ]
  return by.length === 0 ? "" : `, ${by.join(" ")}`
}

const describers: Describers<RunEvent, RunNoticeKind, Zone> = {
  ...describePin,
  ...describeLost,
  ...describePhone,
  RunOpened: ({ plan, tasks, workflowId }) =>
    described("info", `souffleur conducts workflow ${workflowId}: ${many(tasks.length, "task")} of ${plan}`),
  PlanRevised: ({ changed, dropped, tasks }) =>
    described(
      changed.length + dropped.length === 0 ? "info" : "warning",
      [
        `a person took the plan as it is: ${many(tasks.length, "task")}`,
        ...(dropped.length === 0 ? [] : [`Dropped: ${dropped.join(", ")}`]),
        ...(changed.length === 0 ? [] : [`Completed tasks whose text changed stay as they are: ${changed.join(", ")}`])
      ].join(". "),
      { message: "system", notice: "cleared" }
    ),
  RunTaken: ({ fence, owner }) =>
    described("detail", `souffleur (pid ${owner.process.pid}) conducts the run (fence ${fence})`),
  RunLeft: () => described("info", "souffleur left"),
  RunMoved: ({ from, host }) =>
    described("info", `the run goes on at ${host}, by a person's word that its conductor on ${from.host} is gone`),
  ProgressImported: ({ from, tasks }) => {
    const text = `progress of ${many(tasks.length, "task")} was taken over from ${from === "state" ? "state.json" : "its backup"}`
    const escalated = tasks.find(({ status }) => status === "escalated")
    return escalated === undefined
      ? described("info", text)
      : described("info", `${text}. ${capital(needsPerson(escalated.id, escalated.escalation))}`, {
          message: "error",
          notice: "escalated",
          words: escalated.escalation?.message
        })
  },
  TaskDoneBefore: ({ final, taskId }) =>
    described(
      "info",
      final === true
        ? "the final review is skipped: it has nothing to judge"
        : `task ${taskId} is skipped: the plan has it as done`
    ),
  UnknownTaskSkipped: ({ taskId }) => described("warning", `task ${taskId} is skipped: it is not in the plan`),
  StateFileRebuilt: ({ found, from, kept }) =>
    described(
      "warning",
      kept === null
        ? `the state file was ${found}, and is made again from the ${from}`
        : `the state file is new: ${found === "backup" ? "a backup of another run" : "the file that was there"} is kept as ${kept}`
    ),
  BranchChosen: ({ branch }) => described("detail", `branch ${branch} is made`),
  BranchBegun: ({ branch, from }) =>
    described("info", `the run has branch ${branch}${from === null ? "" : `, begun from ${from}`}`),
  TreeChosen: ({ folder, taskId }) => described("detail", `task ${taskId} gets the work tree ${folder}`),
  LandingPlanned: ({ taskId }) => described("detail", `the work of task ${taskId} is about to land`),
  LandingRefused: ({ message, taskId }) =>
    described("warning", `the work of task ${taskId} does not land: ${message.split("\n", 1)[0]}`),
  TreeCleared: ({ folder, kept, taskId }) =>
    kept === null
      ? described("detail", `the work tree of task ${taskId} is removed`)
      : described("warning", `the work tree of task ${taskId} stays in ${folder}: ${kept}`),
  TaskStarted: ({ review, taskId }) =>
    described(
      "info",
      review === undefined
        ? `task ${taskId} starts`
        : `the review of all tasks together starts: ${many(review.commits.length, "commit")}`
    ),
  AgentAsked: ({ agent, attempt, choice, insteadOf, nudge, resumed, role, taskId }) =>
    described(
      "info",
      role === "finisher"
        ? `the finishing step starts${byWhom(agent, choice)}`
        : taskId === null
          ? `a reviewer is asked what is unclear in the plan${byWhom(agent, choice)}`
          : nudge !== null && resumed
            ? `the same ${role} goes on with task ${taskId}, in its session`
            : `${resumed ? "the same" : "a fresh"} ${role} is asked for task ${taskId}, attempt ${attempt}${byWhom(agent, choice)}${insteadOf === undefined ? "" : `, the next model after ${insteadOf}`}`
    ),
  AgentPrepared: ({ effective, launchId, requested }) =>
    described(
      "detail",
      `launch ${launchId} is prepared with permission ${effective}${requested === effective ? "" : ` (asked for ${requested})`}`
    ),
  AgentLaunched: ({ process }) => described("detail", `the agent runs: pid ${process.pid}`),
  AgentSessionFound: ({ sessionId }) => described("detail", `the agent has session ${sessionId}`),
  AgentNeverRan: () => described("info", "the agent was never launched. Another is asked"),
  AgentEnding: ({ reason, launchedAt, limit, others, process }, zone) =>
    described(
      "warning",
      reason === "timeout"
        ? `the agent's time is over: it runs since ${time(launchedAt, zone)}, longer than ${duration(limit)}. souffleur ends pid ${[process.pid, ...others].join(", ")}`
        : reason === "hung"
          ? `the agent hangs: no sign of life for ${duration(limit)}. souffleur ends pid ${[process.pid, ...others].join(", ")}`
          : reason === "lingering"
            ? `the agent's turn is over, and its process does not end. souffleur ends pid ${[process.pid, ...others].join(", ")}`
            : reason === "stopped"
              ? `a person stops the run. souffleur ends pid ${[process.pid, ...others].join(", ")}`
              : `the agent ended and left something running. souffleur ends pid ${others.join(", ")}`
    ),
  AgentNudged: ({ message, taskId }) =>
    described("warning", `the agent of task ${taskId} is not done: ${message}. Its session goes on`),
  ImplementationCompleted: ({ commits, files, taskId }) =>
    described(
      "info",
      `task ${taskId} is implemented: ${many(commits.length, "commit")}, ${many(files.length, "file")}`
    ),
  ImplementationBlocked: ({ message, taskId }) => described("info", `task ${taskId} is blocked: ${message}`),
  ImplementationFailed: ({ message, hint, taskId }) =>
    described(
      "warning",
      `an attempt at task ${taskId} failed: ${message}${hint === null ? "" : `; ${firstSuspect(hint)}`}`
    ),
  ReviewApproved: ({ minor, summary, taskId }) =>
    described("info", `the reviewer approved task ${taskId}${counted({ "minor finding": minor })}: ${summary}`),
  ReviewRejected: ({ feedback: { issues, summary }, minor, taskId }) =>
    described(
      "warning",
      `the reviewer rejected task ${taskId}${counted({ issue: issues, "minor finding": minor })}: ${summary}`
    ),
  ReviewFailed: ({ message, taskId }) => described("warning", `a review of task ${taskId} failed: ${message}`),
  WorkChanged: ({ commits, taskId }) =>
    described(
      "warning",
      commits.length === 0
        ? `task ${taskId} is implemented again: its commits are gone`
        : `the work of task ${taskId} changed since: ${many(commits.length, "commit")} to review`
    ),
  AgentLimited: ({ at, kind, resetsAt, taskId, until }, zone) => {
    const what = taskId === null ? "the finishing step" : `task ${taskId}`
    const when = deadline(until, at, zone)
    if (isPersons(kind))
      return described(
        "error",
        `the service refuses the ${kind} of the agent, which holds ${what} up: ${mendedBy[kind]}. It goes on once it sees that, at ${when}, or at once by "souffleur go". No attempt is counted`,
        { message: "error", notice: "waiting_for_a_person" }
      )
    return described(
      "warning",
      `${kind === "outage" ? "an outage of the service" : "a usage limit"} holds ${what} up until ${when}${resetsAt === null ? ", a guess" : ""}. No attempt is counted`,
      { message: "warning", notice: kind === "outage" ? "outage" : "usage_limit" }
    )
  },
  AgentStopped: ({ taskId }) =>
    described("info", `the agent of task ${taskId} is stopped. Its session is kept, and no attempt is counted`),
  AgentSpent: ({ role, taskId, ...used }) =>
    described("detail", `the ${role}${taskId === null ? "" : ` of task ${taskId}`} used ${usedInWords(used)}`),
  QuietBegan: ({ at, until }, zone) =>
    described("info", `the quiet hours hold the run back until ${deadline(until, at, zone)}`),
  AllowanceRenewed: () =>
    described("info", "a person allows the run as much again", { message: "system", notice: "cleared" }),
  LimitWaitEnded: ({ by }) => described("info", `${endedWaits[by]}: an agent is asked again`),
  TaskCompleted: ({ taskId }) => described("success", `task ${taskId} is complete`),
  WorkVerified: ({ taskId }) => described("info", `the gate took the work of task ${taskId}`),
  WorkRefused: ({ taskId, ...refused }) =>
    described("warning", `the gate refused the work of task ${taskId}: ${refused.program} ${refusalEnd(refused)}`),
  GateLeftEnding: ({ pids }) =>
    described("info", `the gate left something running. souffleur ends pid ${pids.join(", ")}`),
  BaselineVerified: () =>
    described("detail", "nothing of the gate refuses the commit that the first agent begins from"),
  BaselineRefused: (refused) =>
    described(
      "warning",
      `the gate refuses the commit that the first agent would begin from: ${refused.program} ${refusalEnd(refused)}`
    ),
  PlanQuestioned: ({ message, questions }) =>
    message !== null
      ? described("warning", `the plan is not questioned: ${message}`)
      : questions.length === 0
        ? described("info", "nothing in the plan is unclear")
        : described("warning", `a reviewer asks about the plan: ${numbered(questions)}`),
  RedAllowed: () =>
    described("info", "a person lets the first agent begin from a commit that the gate refuses", {
      message: "system",
      notice: "cleared"
    }),
  TaskEscalated: ({ reason, message, taskId }) =>
    described("error", needsPerson(taskId, { reason }), { message: "error", notice: "escalated", words: message }),
  TaskAnswered: ({ answer, taskId }) =>
    described("info", `a person answered for task ${taskId}: ${answer}`, { message: "system", notice: "cleared" }),
  RunHeld: () => described("info", 'a person holds the run: nothing further begins until "souffleur go"'),
  RunHoldEnded: () => described("info", "a person ended the hold"),
  RunStopAsked: ({ now, reason }) =>
    described(
      "info",
      `a person stops the run, ${now ? "with" : "after"} the agent at work`,
      reason === null ? {} : { words: reason }
    ),
  RunStopEnded: () => described("info", "a person conducts the stopped run again"),
  TaskRedoAsked: ({ taskId }) => described("info", `a person has task ${taskId} done again`),
  RevertAsked: ({ commits, taskId }) =>
    described("info", `a person has ${many(commits.length, "commit")} of task ${taskId} taken back`),
  RevertPlanned: ({ taskId }) => described("detail", `the commits that take the work of task ${taskId} back are made`),
  WorkReverted: ({ taskId }) => described("info", `the commits of task ${taskId} are taken back`),
  RevertRefused: ({ message, taskId }) =>
    described("warning", `the commits of task ${taskId} are not taken back: ${message}`),
  RunPaused: (event) =>
    described("error", `the run is paused: ${pauseInWords(event)}`, { message: "error", notice: "paused" }),
  RunResumed: () =>
    described("info", "the run goes on: the cause of its pause is mended", { message: "system", notice: "cleared" }),
  RunVerified: ({ commits, completed, dropped, files, missing, skipped }) =>
    described(
      "success",
      `every task is complete: ${completed} done, ${skipped} skipped${dropped.length === 0 ? "" : `, ${dropped.length} dropped (${dropped.join(", ")})`}, ${many(commits, "commit")}, ${many(files, "file")}${missing.length === 0 ? "" : `. HEAD no longer has ${missing.join(", ")}`}`
    ),
  RunFinished: ({ delivered, message, finishing }) =>
    finishing === "failed"
      ? described("error", "the finishing step failed", { message: "error", notice: "finished", words: message })
      : described(
          "success",
          finishing === "none"
            ? "the run is done"
            : `the finishing step is done, and the run with it${broughtBy(delivered)}`,
          {
            message: "completion",
            notice: "finished"
          }
        ),
  FinishingAnswered: ({ answer }) =>
    described(
      "info",
      `a person answered: the finishing step is ${answer === "skip" ? "left as it is" : "asked once more"}`,
      {
        message: "system",
        notice: "cleared"
      }
    )
}

const describe = describedBy(describers)

/** Describes an event of a run: its sentence, its severity, and what comms and a person are told of it. */
export const describeRunEvent = (event: RunEvent, zone: Zone = utc) => describe(event, zone)
