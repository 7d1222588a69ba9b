import { type Agent, endedWell, isSessionKnown, Words } from "@souffleur/domain"
import { Effect, Option, Result, Schema } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { type Run, type Task, taskOf, type Assignment } from "../run/Run.ts"
import { LimitKind } from "../run/RunFields.ts"
import type { AgentReport } from "../decide/Ladder.ts"
import { assignedAgent } from "./AssignedAgent.ts"
import type { AgentEnded } from "./Assignment.ts"
import { readVerdict, type NoVerdict } from "./Verdict.ts"

type Heard = Extract<AgentEnded, { readonly _tag: "Ended" }>

type Failed = Extract<AgentReport, { readonly _tag: "Failed" }>

const nothing = (reason: Failed["reason"], message: string): Failed => ({ _tag: "Failed", reason, message })

/** An agent of an earlier conductor may have been stopped with it: its missing verdict is "lost", and no failure. */
const unsaid = (run: Run, assignment: Assignment, { reason, message }: NoVerdict): Failed =>
  reason === "no verdict" && assignment.fence !== run.fence
    ? nothing("lost", `${message}, while its conductor was gone`)
    : nothing(reason, message)

/** Returns the last record of the session, or of the output, on this very assignment; `undefined`: there is none. */
const recorded = Effect.fnUntraced(function* (assignment: Assignment, output: string) {
  const { askedAt, sessionId } = assignment
  const signs = yield* (yield* assignedAgent(assignment)).signs(sessionId, output)
  const last = Option.getOrUndefined(signs)?.turn
  return last !== undefined && last.at >= askedAt ? last : undefined
})

const isLimit = Schema.is(LimitKind)

/** Refusals of the service that no wait ends. */
const refusals = {
  model: "the service refuses its model: see to the model's name and the service's address",
  cap: "a cap of your own ended it",
  "prompt-too-long": "its conversation is too long for the service",
  other: "the service ended it by an error"
} as const

/**
 * Returns the refusal of the service that the session's records state; `undefined`: there is none. The work is not at
 * fault. Where a wait may help, the agent is not at fault either.
 */
const refused = Effect.fnUntraced(function* (assignment: Assignment, output: string) {
  const last = yield* recorded(assignment, output)
  if (last?._tag !== "Failed") return undefined
  const { resetsAt = null, reason } = last
  return isLimit(reason)
    ? ({ _tag: "Limited", kind: reason, resetsAt } satisfies AgentReport)
    : ({
        ...nothing("no verdict", refusals[reason]),
        ...(reason === "model" ? { refused: reason } : {})
      } satisfies AgentReport)
})

/**
 * Returns the file that an implementer calls its test, by git's own name. Its work must have changed the file and left
 * it there; `null`: there is no such file.
 */
const testFileOf = Effect.fnUntraced(function* (named: string | null, files: ReadonlyArray<string>) {
  const { git } = yield* PlanContext
  const name = named?.replace(/^\.\//u, "")
  // The agent may name it relative to its own folder.
  const file = files.find((path) => path === name) ?? files.find((path) => path.endsWith(`/${name}`))
  return file !== undefined && (yield* git.has(file)) ? file : null
})

/**
 * Has the session of an agent go on, where its last turn did something and left the rest of its task: once an
 * assignment. Else that turn counts as it is.
 */
const goesOn = Effect.fnUntraced(function* (assignment: Assignment, message: string, counts: AgentReport) {
  const { nudge, sessionId } = assignment
  if (nudge !== null || !isSessionKnown(sessionId)) return counts
  return (yield* (yield* assignedAgent(assignment)).usedTools(sessionId))
    ? ({ _tag: "Unfinished", message } satisfies AgentReport)
    : counts
})

/** Says what complete work lacks to be a commit; `undefined`: nothing. A conflict is a person's. */
const leftOver = Effect.fnUntraced(function* ({ untracked: before }: Task) {
  const { git } = yield* PlanContext
  const { changed, conflicts } = yield* git.status
  if (conflicts.length > 0) return undefined
  if (changed.length > 0) return `no commit has the changes of ${Words.many(changed.length, "file")}`
  const fresh = before === null ? [] : (yield* git.untracked).filter((file) => !before.includes(file))
  return fresh.length === 0
    ? undefined
    : `git does not know ${Words.many(fresh.length, "new file")}: commit what belongs to the work, and delete or ignore the rest`
})

/** Returns the commits that were not there when an assignment began; none where git cannot tell. */
const madeSince = Effect.fnUntraced(function* ({ head }: Assignment) {
  const { git } = yield* PlanContext
  return yield* git.since(head).pipe(
    Effect.map(({ commits }) => commits),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
})

/** Checks complete work against git: commits and files since the last review (spec: behaviour#verdicts-of-agents). */
const believed = Effect.fnUntraced(function* (task: Task, assignment: Assignment, named: string | null) {
  const { commitSetting, git } = yield* PlanContext
  const onto = task.tree?.onto ?? null
  const fresh = yield* git.since(task.reviewed ?? task.base)
  const head = yield* git.head
  const fruitless = (message: string, more = {}) =>
    goesOn(assignment, message, { _tag: "Failed", reason: "nothing done", message, ...more })
  if (onto !== null && (yield* git.missing([onto])).length > 0)
    return yield* fruitless(`its branch does not have the commit ${onto} of the run's branch yet`)
  if (head === null || fresh.commits.length === 0)
    return yield* fruitless("it said that it was complete, and made no commit", { hint: commitSetting })
  const work = task.reviewed === null ? fresh : yield* git.since(task.base)
  if (fresh.files.length === 0 || work.files.length === 0)
    return yield* fruitless("it said that it was complete, and its commits change no file")
  const completed: AgentReport = {
    _tag: "Completed",
    head,
    made: yield* madeSince(assignment),
    work: { ...work, testFile: yield* testFileOf(named, work.files) }
  }
  const left = yield* leftOver(task)
  return left === undefined ? completed : yield* goesOn(assignment, left, completed)
})

/** Reports a reviewer that looked at nothing: its session has no use of a tool, or is missing. */
const unlooked = Effect.fnUntraced(function* (agent: Agent["Service"], sessionId: string) {
  const found = yield* Effect.result(agent.sessionFile(sessionId))
  return nothing(
    "nothing done",
    Result.match(found, {
      onFailure: ({ message }) =>
        `the reviewer approved, and nothing shows that it looked at anything: ${isSessionKnown(sessionId) ? message : "it never told its session"}`,
      onSuccess: ({ path }) => `the reviewer approved, and looked at nothing, by ${path}`
    })
  )
})

/**
 * Accepts an approval where its reviewer used a tool, and HEAD is still the commit under review (spec:
 * behaviour#verdicts-of-agents).
 */
const approval = Effect.fnUntraced(function* (
  task: Task,
  assignment: Assignment,
  report: Extract<AgentReport, { readonly _tag: "Approved" }>
) {
  const agent = yield* assignedAgent(assignment)
  const { git } = yield* PlanContext
  if (!(yield* agent.usedTools(assignment.sessionId))) return yield* unlooked(agent, assignment.sessionId)
  if ((yield* git.head) !== (task.implementation?.head ?? null))
    return nothing("work changed", "the reviewed commit is not the present one")
  return report
})

/** Reports on the finishing step by its end. Where the end of an agent is unknown, its session's records decide. */
const finished = Effect.fnUntraced(function* (assignment: Assignment, { end, output, telling }: Heard) {
  const isAgent = (yield* PlanContext).finishing === null
  const done: AgentReport = { _tag: "Approved", summary: "", minor: [] }
  if (endedWell(end)) return done
  const limited = isAgent ? yield* refused(assignment, output) : undefined
  if (limited !== undefined) return limited
  if (end !== null) return nothing("lost", `it ended ${Words.ended(end)}: see ${telling}`)
  return isAgent && (yield* recorded(assignment, output))?._tag === "Finished"
    ? done
    : nothing("lost", `its end was not seen: see ${telling}`)
})

/**
 * Returns why an agent's last words may not be its last: it was cut off, or its end is unknown. `undefined`: it ended
 * as it meant to.
 */
const cutOff = Effect.fnUntraced(function* (assignment: Assignment, { end, output, unknownFlag }: Heard) {
  if (endedWell(end)) return undefined
  if (end !== null)
    return `the ${assignment.role} ended ${Words.ended(end)}${unknownFlag === undefined ? "" : `: its program does not know ${unknownFlag}, so update it`}`
  return (yield* recorded(assignment, output))?._tag === "Finished"
    ? undefined
    : `the end of the ${assignment.role} was not seen, and its session has no end of its turn`
})

/**
 * Reads the verdict in the records that an agent printed, else in its text, which may quote a record. The word of the
 * launch proves either.
 */
const spoken = (role: "implementer" | "reviewer", { printed, said }: Pick<Heard, "printed" | "said">) =>
  Result.orElse(readVerdict(role, said), (none) => Result.mapError(readVerdict(role, printed), () => none))

/** Judges an assignment by the agent's own verdict, by git and by its session. */
export const judgeAgent = Effect.fn("Judging.judgeAgent")(function* (
  run: Run,
  assignment: Assignment,
  ended: AgentEnded
) {
  if (ended._tag !== "Ended") return ended satisfies AgentReport
  if (assignment.role === "finisher") return yield* finished(assignment, ended)
  const task = taskOf(run, assignment.taskId)
  if (task === undefined && assignment.taskId !== null)
    return nothing("no verdict", `the run has no task ${assignment.taskId}`)
  const cut = yield* cutOff(assignment, ended)
  const read =
    cut === undefined ? spoken(assignment.role, ended) : Result.fail({ reason: "no verdict", message: cut } as const)
  // A plan is questioned by one turn.
  const silent = (none: NoVerdict) =>
    task === undefined
      ? Effect.succeed(unsaid(run, assignment, none))
      : goesOn(assignment, none.message, unsaid(run, assignment, none))
  if (Result.isFailure(read)) {
    const limited = yield* refused(assignment, ended.output)
    if (limited !== undefined) return limited
    if (cut === undefined) return yield* silent(read.failure)
    const { toolResults } = yield* assignedAgent(assignment)
    const cutOffAfter = isSessionKnown(assignment.sessionId) ? yield* toolResults([assignment.sessionId]) : 0
    return { ...unsaid(run, assignment, read.failure), cutOffAfter }
  }
  const { verdict: said, word } = read.success
  if ((yield* (yield* PlanContext).words.digest(word)) !== assignment.word)
    return yield* silent({
      reason: "no verdict",
      message: `the ${assignment.role}'s verdict lacks the secret word of its assignment: it may be a quotation`
    })
  if (task === undefined) return said._tag === "Complete" ? nothing("no verdict", "it questioned nothing") : said
  if (said._tag === "Complete") return yield* believed(task, assignment, said.testFile)
  return said._tag === "Approved" ? yield* approval(task, assignment, said) : said
})
