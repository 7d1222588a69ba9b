import { Agent } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { noCommit } from "../publish/WorkProblem.ts"
import { type Run, type Task, taskOf, type Assignment } from "../run/Run.ts"
import type { Report } from "../decide/Ladder.ts"
import type { Ended } from "./Assignment.ts"
import { readVerdict, type NoVerdict } from "./Verdict.ts"

const nothing = (cause: Extract<Report, { readonly _tag: "Failed" }>["cause"], detail: string): Report => ({
  _tag: "Failed",
  cause,
  detail
})

/** An agent that ended without a word while nobody was there to see may have been stopped with its conductor. */
const unsaid = (run: Run, assignment: Assignment, { cause, detail }: NoVerdict): Report =>
  cause === "no verdict" && assignment.fence !== run.fence
    ? nothing("lost", `${detail}, while nobody conducted`)
    : nothing(cause, detail)

/** What its session's own records say of this very assignment. */
const recorded = Effect.fnUntraced(function* ({ askedAt, sessionId }: Assignment) {
  const signs = yield* (yield* Agent).signs(sessionId)
  const last = Option.getOrUndefined(signs)?.turn
  return last !== undefined && last.at >= askedAt ? last : undefined
})

/** What the service's refusal was, when it is no matter of waiting. */
const refusals = {
  account: "the service refuses this account: log in, or see to its plan",
  "prompt-too-long": "its conversation is too long for the service",
  other: "the service ended it by an error"
} as const

/** They say that the service refused it: no fault of the work, and where it may be waited out, none of the agent. */
const refused = Effect.fnUntraced(function* (assignment: Assignment) {
  const last = yield* recorded(assignment)
  if (last?._tag !== "Failed") return undefined
  const { resetsAt = null, reason } = last
  return reason === "usage-limit" || reason === "outage"
    ? ({ _tag: "Limited", kind: reason, resetsAt } satisfies Report)
    : nothing("no verdict", refusals[reason])
})

/**
 * The file that an implementer calls its test, by git's own name: one that its work changed and left there. Other words
 * are nobody's.
 */
const testFileOf = Effect.fnUntraced(function* (named: string | null, files: ReadonlyArray<string>) {
  const { git } = yield* PlanContext
  const name = named?.replace(/^\.\//u, "")
  // It may name it from its own folder on.
  const file = files.find((one) => one === name) ?? files.find((one) => one.endsWith(`/${name}`))
  return file !== undefined && (yield* git.has(file)) ? file : null
})

/**
 * What git says of the work that an implementer calls complete: commits and files since what was reviewed last
 * (spec: behaviour#verdicts-of-agents).
 */
const believed = Effect.fnUntraced(function* (task: Task, named: string | null) {
  const { git } = yield* PlanContext
  const fresh = yield* git.since(task.reviewed ?? task.base)
  const head = yield* git.head
  if (head === null || fresh.commits.length === 0) return nothing("nothing done", noCommit)
  const work = task.reviewed === null ? fresh : yield* git.since(task.base)
  if (fresh.files.length === 0 || work.files.length === 0)
    return nothing("nothing done", "it said that it was complete, and its commits change no file")
  return { _tag: "Completed", head, work: { ...work, testFile: yield* testFileOf(named, work.files) } } satisfies Report
})

/** Nothing shows that a reviewer looked at anything: nothing in its session, or no session where one is looked for. */
const unlooked = Effect.fnUntraced(function* ({ sessionId }: Assignment) {
  const found = yield* Effect.result((yield* Agent).sessionFile(sessionId))
  return nothing(
    "nothing done",
    Result.match(found, {
      onFailure: ({ message }) => `the reviewer approved, and nothing shows that it looked at anything: ${message}`,
      onSuccess: ({ path }) => `the reviewer approved, and looked at nothing, by ${path}`
    })
  )
})

/**
 * An approval counts when its reviewer looked at something, and what it looked at is what is there (spec:
 * behaviour#verdicts-of-agents).
 */
const approval = Effect.fnUntraced(function* (
  task: Task,
  assignment: Assignment,
  report: Extract<Report, { readonly _tag: "Approved" }>
) {
  const agent = yield* Agent
  const { git } = yield* PlanContext
  if (!(yield* agent.usedTools(assignment.sessionId))) return yield* unlooked(assignment)
  if ((yield* git.head) !== (task.implementation?.head ?? null))
    return nothing("work changed", "the commit that was reviewed is not the one that is there any more")
  return report
})

/** What the finishing step came to, by its exit code; where nobody saw that of an agent, by its session's records. */
const finished = Effect.fnUntraced(function* (
  assignment: Assignment,
  { code, output }: Extract<Ended, { readonly _tag: "Ended" }>
) {
  const isAgent = (yield* PlanContext).finishing === null
  const done: Report = { _tag: "Approved", summary: "" }
  if (code === 0) return done
  const limited = isAgent ? yield* refused(assignment) : undefined
  if (limited !== undefined) return limited
  if (code !== null) return nothing("lost", `it ended with exit code ${code}: see ${output}`)
  return isAgent && (yield* recorded(assignment))?._tag === "Finished"
    ? done
    : nothing("lost", `nobody saw how it ended: see ${output}`)
})

/**
 * Why an agent's last words may not be its last: it was cut off, or nobody knows. `undefined`: it ended as it meant to.
 */
const cutOff = Effect.fnUntraced(function* (assignment: Assignment, code: number | null) {
  if (code === 0) return undefined
  if (code !== null) return `the ${assignment.role} ended with exit code ${code}`
  return (yield* recorded(assignment))?._tag === "Finished"
    ? undefined
    : `nobody saw the ${assignment.role} end, and its session has no end of its turn`
})

/** What an assignment of an agent came to: its own word, and what git and its session say of it. */
export const judge = Effect.fn("Judging.judge")(function* (run: Run, assignment: Assignment, ended: Ended) {
  if (ended._tag === "Failed") return ended satisfies Report
  if (assignment.role === "finisher") return yield* finished(assignment, ended)
  const task = taskOf(run, assignment.taskId)
  if (task === undefined) return nothing("no verdict", `the run has no task ${assignment.taskId}`)
  const cut = yield* cutOff(assignment, ended.code)
  const read =
    cut === undefined
      ? readVerdict(assignment.role, ended.printed)
      : Result.fail({ cause: "no verdict", detail: cut } as const)
  if (Result.isFailure(read)) return (yield* refused(assignment)) ?? unsaid(run, assignment, read.failure)
  const { verdict: said, word } = read.success
  if ((yield* (yield* PlanContext).words.digest(word)) !== assignment.word)
    return unsaid(run, assignment, {
      cause: "no verdict",
      detail: `the ${assignment.role}'s verdict has not the word of its assignment: it may be what it read`
    })
  if (said._tag === "Complete") return yield* believed(task, said.testFile)
  return said._tag === "Approved" ? yield* approval(task, assignment, said) : said
})
