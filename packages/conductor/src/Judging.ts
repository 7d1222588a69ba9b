import { Agent } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"
import { Conducting } from "./Conducting.ts"
import { type Run, type Task, taskOf, type Turn } from "./Run.ts"
import type { Report } from "./Ladder.ts"
import type { Ended } from "./Turn.ts"
import { readVerdict, type NoVerdict } from "./Verdict.ts"

const nothing = (cause: Extract<Report, { readonly _tag: "Failed" }>["cause"], detail: string): Report => ({
  _tag: "Failed",
  cause,
  detail
})

/** An agent that ended without a word while nobody was there to see may have been stopped with its conductor. */
const unsaid = (run: Run, turn: Turn, { cause, detail }: NoVerdict): Report =>
  cause === "no verdict" && turn.fence !== run.fence ? nothing("lost", `${detail}, while nobody conducted`) : nothing(cause, detail)

/** Its session's own records say that the service refused it, in this very turn: no fault of the agent, or of the work. */
const refused = Effect.fnUntraced(function* (turn: Turn) {
  const last = Option.flatMapNullishOr(yield* (yield* Agent).signs(turn.sessionId), ({ turn }) => turn)
  if (Option.isNone(last) || last.value._tag !== "Failed" || last.value.at < turn.askedAt) return undefined
  const { resetsAt = null, why } = last.value
  return why === "usage-limit" || why === "outage" ? ({ _tag: "Limited", kind: why, resetsAt } satisfies Report) : undefined
})

/** What git says of the work that an implementer calls complete: commits and files since what was reviewed last (spec §6). */
const believed = Effect.fnUntraced(function* (task: Task, testFile: string | null) {
  const { git } = yield* Conducting
  const fresh = yield* git.since(task.reviewed ?? task.base)
  const head = yield* git.head
  if (head === null || fresh.commits.length === 0) return nothing("nothing done", "it said that it was complete, and made no commit")
  if (fresh.files.length === 0) return nothing("nothing done", "it said that it was complete, and its commits change no file")
  const work = task.reviewed === null ? fresh : yield* git.since(task.base)
  return { _tag: "Completed", head, work: { ...work, testFile } } satisfies Report
})

/** An approval counts when its reviewer looked at something, and what it looked at is what is there (spec §6). */
const approval = Effect.fnUntraced(function* (task: Task, turn: Turn, report: Extract<Report, { readonly _tag: "Approved" }>) {
  const [agent, { git }] = [yield* Agent, yield* Conducting]
  if (!(yield* agent.usedTools(turn.sessionId))) return nothing("nothing done", "the reviewer approved, and looked at nothing")
  if ((yield* git.head) !== (task.implementation?.head ?? null))
    return nothing("work changed", "the commit that was reviewed is not the one that is there any more")
  return report
})

/** What a turn of an agent came to: its own word, and what git and its session say of it. */
export const judge = Effect.fn("Judging.judge")(function* (run: Run, turn: Turn, ended: Ended) {
  if (ended._tag === "Failed") return ended satisfies Report
  const { finishing } = yield* Conducting
  if (turn.role === "finisher") {
    if (ended.code === 0 || (ended.code === null && finishing === null)) return { _tag: "Approved", summary: "" } satisfies Report
    const limited = finishing === null ? yield* refused(turn) : undefined
    return (
      limited ??
      nothing(
        "lost",
        ended.code === null ? "nobody saw how the finishing step ended" : `the finishing step ended with exit code ${ended.code}`
      )
    )
  }
  const task = taskOf(run, turn.taskId)
  if (task === undefined) return nothing("no verdict", `the run has no task ${turn.taskId}`)
  const verdict = readVerdict(turn.role, ended.printed)
  if (Result.isFailure(verdict)) return (yield* refused(turn)) ?? unsaid(run, turn, verdict.failure)
  const said = verdict.success
  if (said._tag === "Complete") return yield* believed(task, said.testFile)
  return said._tag === "Approved" ? yield* approval(task, turn, said) : said
})
