import {
  type Assignment,
  blockers,
  describeRunEvent,
  invocation,
  isHeldUp,
  isPersons,
  isRunOver,
  needsPerson,
  type Run,
  type RunEvent,
  stepIn,
  steps,
  streamOf,
  stuck,
  type Task,
  usedInWords,
  workProblemsOf
} from "@souffleur/plan"
import { type Condition, iso, mendedBy, plain, type StateWord, Words, type Zone } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { maxLineLength } from "./Explanation.ts"
import type { Need } from "./StatusLine.ts"

const idOf = (stream: string) => stream.slice(streamOf("").length)

/** Describes an event of a run and its progress, on one line. */
export const runSentence = (event: RunEvent, progress = "", zone?: Zone): string =>
  plain(`${describeRunEvent(event, zone).text}${progress}`, maxLineLength)

/** Returns one event as a program reads it. */
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
  plan: { standing: "paused: the plan has changed", what: "read the plan, and put it back or take it as it is:" },
  ceiling: { standing: "paused: a ceiling of use is reached", what: "raise the ceiling, or allow as much again:" },
  deadline: {
    standing: "paused: its deadline is over",
    what: "conduct the plan again without a deadline, or with a later one"
  },
  branch: { standing: "paused: its branch cannot be made", what: "put this right:" },
  red: {
    standing: "paused: the gate is red before the first agent",
    what: "mend the commit that the gate refuses, or allow it:"
  },
  questions: {
    standing: "paused: a reviewer asks about the plan",
    what: "edit the plan, or leave it as it is, and say so:"
  },
  failed: { standing: "paused: it cannot go on", what: "put this right:" },
  revert: {
    standing: "paused: commits cannot be taken back",
    what: "take them back yourself, and leave the rest by souffleur conduct answer TASK --skip:"
  },
  "work lost": {
    standing: "paused: work that was approved is gone",
    what: "bring the commits back, or answer each of these tasks with --retry or --skip:"
  }
} as const

const waitedFor = {
  "usage-limit": "a usage limit",
  outage: "the service",
  login: "a login that the service takes",
  account: "an account that the service takes",
  "quiet-hours": "the quiet hours to end,"
} as const

/** An agent at work, and what was seen of its process; `null`: unknown. */
export interface SeenAgent {
  readonly assignment: Assignment
  readonly condition: Condition | null
}
type Seen = ReadonlyArray<SeenAgent>

const heldInWords = 'held until "souffleur go"'

/** Returns the state of a run in a few words. */
export const runStanding = (run: Run, agents: Seen = [], zone?: Zone): string => plain(standing(run, agents, zone))

const standing = (run: Run, agents: Seen, zone?: Zone): string => {
  const { assignments, held, phase, stop } = run
  if (phase !== "finished" && stop !== null)
    return assignments.length === 0 ? "stopped by a person" : `${goingOn(run, agents, zone)}, and then it stops`
  if (phase !== "finished" && held !== null && !needsPerson(run))
    return assignments.length === 0 ? heldInWords : `${goingOn(run, agents, zone)}, and then ${heldInWords}`
  if (run.overreach !== undefined && run.paused === null && run.phase !== "finished")
    return `${goingOn(run, agents, zone)}, config not trusted`
  return goingOn(run, agents, zone)
}

/**
 * Describes a run that has no problem with its config. `agents`: what was seen of its agents.
 */
const goingOn = (run: Run, agents: Seen, zone?: Zone): string => {
  if (run.paused?.reason === "plan") return `${pauses.plan.standing}: ${run.paused.message}`
  if (run.phase === "finished") {
    const dropped = run.dropped.length === 0 ? "" : `, ${run.dropped.length} dropped`
    return run.finishingFailure === null
      ? `complete${dropped}`
      : `complete${dropped}, but for its finishing step: ${run.finishingFailure}`
  }
  if (run.paused !== null) return pauses[run.paused.reason].standing
  const waiting = stuck(run).map(({ id }) => id)
  if (isHeldUp(run)) return `waits for an answer on ${waiting.join(", ")}`
  return waiting.length === 0
    ? atWork(run, agents, zone)
    : `${atWork(run, agents, zone)}; an answer is awaited on ${waiting.join(", ")}`
}

/** Says what an agent of a run does. */
const agentAtWork = ({ ending, launch, role, taskId, token }: Assignment, agents: Seen): string => {
  if (role === "finisher") return "finishing"
  const seen = agents.find(({ assignment }) => assignment.token === token)?.condition
  const how = seen === "gone" || seen === "zombie" ? "has ended" : ending === null ? "at work" : "is ended"
  return `${taskId ?? "the plan"}: ${role} ${how}${launch === null ? "" : `, pid ${launch.process.pid}`}`
}

const atWork = (run: Run, agents: Seen, zone?: Zone): string => {
  const working = run.assignments.map((one) => agentAtWork(one, agents))
  if (run.wait !== null)
    return [
      `waits for ${waitedFor[run.wait.kind]} until ${Words.deadline(run.wait.until, run.lastEventAt, zone)}`,
      ...working
    ].join("; ")
  if (working.length > 0) return working.join("; ")
  return run.phase === "completion" ? "completion" : run.current.length === 0 ? "between tasks" : run.current.join(", ")
}

/** Returns the file with the output of a launch. */
type OutputOf = (launchId: string) => string

/** Returns the problems of an escalated task, and the file of its newest agent's output. */
const grievances = (task: Task, outputOf: OutputOf): ReadonlyArray<string> =>
  task.escalation === null
    ? []
    : [
        ...workProblemsOf(task, task.escalation.reason),
        ...(task.tree?.begun === true ? [`its work: ${task.tree.folder}, on branch ${task.tree.branch}`] : []),
        ...(task.lastLaunch === null ? [] : [`the output of its last agent: ${outputOf(task.lastLaunch)}`])
      ]

/**
 * Returns what a run that cannot continue needs of a person, and the command for it if there is one; nothing for any
 * other run. With `outputOf`, the problems of the task follow, a line each.
 */
export const runNeeds = (id: string, run: Run, outputOf?: OutputOf): ReadonlyArray<string> =>
  needs(id, run, outputOf).map((line) => plain(line, maxLineLength))

/**
 * Returns the most urgent need of a run; `null`: it needs no person. `owned`: a live souffleur conducts it.
 */
export const runNeed = (id: string, run: Run, owned: boolean): Need | null => {
  if (isRunOver(run) || run.stop !== null) return null
  // It would try again by itself.
  if (!owned && isPersons(run.wait?.kind)) return { why: "no souffleur conducts it", next: invocation(run) }
  if (needsPerson(run))
    return {
      why: plain(goingOn(run, [])),
      next: stepIn(steps(run), "Wait") !== undefined ? `souffleur go ${id}` : `souffleur conduct status --run ${id}`
    }
  if (!owned) return { why: "no souffleur conducts it", next: invocation(run) }
  if (run.overreach !== undefined) return { why: "its config file is not trusted", next: "souffleur config --trust" }
  return null
}

/** Returns the state word of a run with this need. */
export const runState = (run: Run, need: Need | null): StateWord => {
  if (need !== null) return "needs you"
  if (isRunOver(run)) return "ended"
  if (run.assignments.length === 0 && (run.stop ?? run.held) !== null) return "idle"
  return run.wait === null ? "working" : "recovering"
}

/** Says which tasks cannot begin before others have an answer. */
const blocked = (run: Run): ReadonlyArray<string> =>
  run.tasks.flatMap((task) => {
    const by = blockers(run, task)
    return by.length === 0 ? [] : [`${task.id} cannot begin: it depends on ${by.join(", ")}`]
  })

const needs = (id: string, run: Run, outputOf?: OutputOf): ReadonlyArray<string> => {
  const { finishingFailure, paused, wait } = run
  if (paused?.reason === "plan")
    return [`run ${id} is paused: ${pauses.plan.what} ${paused.message}`, "souffleur conduct answer --plan"]
  if (finishingFailure !== null)
    return [
      `run ${id}: every task is complete, and the finishing step failed: ${finishingFailure}`,
      "souffleur conduct answer --finishing --retry, or --skip"
    ]
  if (paused !== null) {
    const { what } = pauses[paused.reason]
    const files = paused.files.join(", ")
    // Of files, the message is the work tree of a task in which they are.
    const where = files === "" ? paused.message : paused.message === "" ? files : `${files} (in ${paused.message})`
    return [
      `run ${id} is paused: ${what} ${where}`.trimEnd(),
      ...(paused.reason === "ceiling" ? ["souffleur conduct answer --allow"] : []),
      ...(paused.reason === "questions" ? ["souffleur conduct answer --plan"] : []),
      ...(paused.reason === "red" ? ["souffleur conduct answer --allow-red"] : [])
    ]
  }
  const waiting = stuck(run)
  if (waiting.length === 0 && wait !== null && isPersons(wait.kind))
    return [
      `run ${id} waits: the service refuses the ${wait.kind} of its agent: ${mendedBy[wait.kind]}`,
      `souffleur go ${id}`
    ]
  return [
    ...waiting.flatMap((task) => [
      `run ${id} needs you on task ${task.id} (${task.escalation?.reason}): ${task.escalation?.message}`,
      ...(outputOf === undefined ? [] : grievances(task, outputOf))
    ]),
    ...(waiting.length === 0 ? [] : blocked(run)),
    ...waiting.map((task) => `souffleur conduct answer ${task.id} "what to do", or --retry, or --skip`)
  ]
}

/** Says whether a program took the work of a complete task. */
export const verifiedWord = ({ verified }: Pick<Task, "verified">) => (verified ? "verified" : "unverified")

/** Tells whether a task was done as it read then, and reads otherwise now. */
const isOutdated = ({ digest, doneAs, final, skipped, status }: Task): boolean =>
  status === "completed" && !skipped && !final && doneAs !== null && digest !== undefined && digest !== doneAs

/** Says how a task is: its status, its counts, its problems and its minor findings. */
export const taskLines = (run: Run, task: Task, outputOf: OutputOf): ReadonlyArray<string> => {
  const by = blockers(run, task)
  const counts = [
    ...(task.status === "completed" && !task.skipped ? [verifiedWord(task)] : []),
    ...(["implementer", "reviewer"] as const).flatMap((role) => {
      const { standIn } = task.choices[role]
      return standIn === undefined ? [] : [`${role} ${standIn}, the fallback`]
    }),
    ...(task.attempts === 0 ? [] : [Words.many(task.attempts, "attempt")]),
    ...(task.feedback.length === 0 ? [] : [Words.many(task.feedback.length, "rejection")]),
    ...(task.work.commits.length === 0 ? [] : [Words.many(task.work.commits.length, "commit")]),
    ...(task.used.tokens + task.used.dollars === 0 ? [] : [usedInWords(task.used)])
  ]
  const status = task.skipped ? "skipped" : task.status.replace("_", " ")
  return [
    `  ${task.id}  ${status}  ${task.title}${counts.length === 0 ? "" : `  (${counts.join(", ")})`}`,
    ...(isOutdated(task)
      ? [`    its text has changed since it was done; done again by: souffleur conduct answer ${task.id} --redo`]
      : []),
    ...(task.escalation === null
      ? []
      : [task.escalation.message, ...grievances(task, outputOf)].map((line) => `    ${line}`)),
    ...(task.status === "in_progress" && task.tree?.begun === true
      ? [`    its work tree: ${task.tree.folder}, on branch ${task.tree.branch}`]
      : []),
    ...(by.length === 0 ? [] : [`    cannot begin: it depends on ${by.join(", ")}`]),
    ...task.minor.map((finding) => `    minor: ${finding}`)
  ].map((line) => plain(line, maxLineLength))
}
