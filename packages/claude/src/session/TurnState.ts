import { Bounds, type ContextInUse, type TurnState } from "@souffleur/domain"
import { contextOf } from "./Context.ts"
import { failureOf, resetOf } from "./ApiFailure.ts"
import { answerOf, blocksOf, isJson, isMain, type Json, textsOf, timeOf } from "./Records.ts"

/**
 * The ms of a Bash call that names none: what the agent lets one ask for at most, as a user may have raised the two
 * minutes it gives.
 */
const bashLimit = 600_000
/** Tools that take no time: they read and write files, and are done. */
const instant = new Set(["Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "TodoWrite", "Write"])
/** Tools that end when a person has answered. */
const questions = new Set(["AskUserQuestion", "ExitPlanMode"])

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The ms that a tool call has; `undefined` where the agent sets no bound that is known. */
const limitOf = (name: string, input: unknown): number | undefined => {
  if (instant.has(name)) return 0
  return name === "Bash" ? (Bounds.toolLimit(isJson(input) ? input["timeout"] : undefined) ?? bashLimit) : undefined
}

/** What a command of the agent's own said, such as `/model`: the model was not asked. (Of a shell command it is.) */
const isLocal = (record: Json): boolean =>
  textsOf(record["message"]).some((text) => /^<local-command-(?:stdout|stderr)>/u.test(text.trimStart()))

type Open = Extract<TurnState, { readonly _tag: "Tool" | "Question" }>
const lasts = (turn: Open): number =>
  turn._tag === "Question" ? Infinity : turn.at + (turn.limit ?? Number.MAX_SAFE_INTEGER)

/** Takes the records of a session from the newest on, until it knows where the session stands. */
export interface Reading {
  readonly take: (record: Json, writtenAt: number) => "more" | "enough"
  readonly result: () => { readonly turn: TurnState | undefined; readonly context: ContextInUse | undefined }
}

/**
 * A turn is what the newest records of the main conversation state; of tools that run side by side, each call and each
 * result is a record of its own, in the order of time. Subagents', meta and unknown records say nothing of it.
 */
export const makeReading = (): Reading => {
  let turn: TurnState | undefined
  let decided = false
  let context: ContextInUse | undefined
  let contextDone = false
  /** Results of tools, newest first, and what was called and has none. */
  const answered = new Set<unknown>()
  const open: Array<Open> = []
  let answeredAt: number | undefined
  let message: unknown

  const decide = (known: TurnState | undefined) => {
    turn = known
    decided = true
  }
  /**
   * A limit that does not state its end may have stated it at the retries right before: the next record that is one
   * says so.
   */
  const unstated = () => turn?._tag === "Failed" && turn.reason === "usage-limit" && turn.resetsAt === undefined
  let retriesSeen = false
  const resetOfRetry = (record: Json) => {
    const retry = record["type"] === "system" && record["subtype"] === "api_error"
    if (turn?._tag === "Failed" && retry) turn = { ...turn, resetsAt: resetOf(record) }
    retriesSeen = retry || record["type"] === "user" || record["type"] === "assistant"
  }
  /** What was called, and answered, is known; nothing older belongs to it. */
  const settle = (): boolean => {
    const [longest] = open.toSorted((a, b) => lasts(b) - lasts(a))
    if (longest !== undefined) decide(longest)
    else if (answeredAt !== undefined) decide({ _tag: "Asked", at: answeredAt })
    return decided
  }

  const fromUser = (record: Json, at: number) => {
    const results = blocksOf(record["message"]).filter(({ type }) => type === "tool_result")
    for (const { tool_use_id } of results) answered.add(tool_use_id)
    if (results.length > 0) answeredAt ??= at
    else if (!settle()) decide({ _tag: isLocal(record) ? "Finished" : "Asked", at })
  }
  const fromModel = (said: Json, at: number) => {
    const calls = blocksOf(said).filter(({ type }) => type === "tool_use")
    const seen = open.length > 0 || answeredAt !== undefined
    if (calls.length === 0 && !seen)
      return decide({ _tag: said["stop_reason"] === "end_turn" ? "Finished" : "Asked", at })
    if (message !== undefined && said["id"] !== message) return void settle()
    message = said["id"]
    for (const { id, input, name: named } of calls) {
      if (answered.has(id)) continue
      const name = stringOf(named)
      open.push(
        questions.has(name)
          ? { _tag: "Question", at, name }
          : { _tag: "Tool", at, name, limit: limitOf(name, input), spawns: name === "Bash" }
      )
    }
  }
  /**
   * What it put into the model's mouth: an error of the service; or that it was started again, and then nothing is
   * outstanding.
   */
  const fromAgent = (record: Json, at: number) => {
    if (!settle()) decide(failureOf(record, at))
  }
  const fromSystem = (record: Json, at: number) => {
    if (record["subtype"] === "api_error" && open.length === 0 && answeredAt === undefined) {
      decide({
        _tag: "Retrying",
        at,
        attempt: Bounds.count(record["retryAttempt"]) ?? 0,
        attempts: Bounds.count(record["maxRetries"]) ?? 0,
        nextAt: at + (Bounds.wait(record["retryInMs"]) ?? 0),
        resetsAt: resetOf(record)
      })
    }
    if (record["subtype"] === "compact_boundary" && !settle()) {
      const metadata = record["compactMetadata"]
      // By hand it ends the turn; by itself it goes on, with the summary.
      decide({ _tag: isJson(metadata) && metadata["trigger"] === "manual" ? "Finished" : "Asked", at })
    }
  }

  return {
    take: (record, writtenAt) => {
      if (record["type"] === "system" && record["subtype"] === "compact_boundary") contextDone = true
      else if (!isMain(record) || record["isCompactSummary"] === true) return "more"
      if (!contextDone) {
        context = contextOf(record, writtenAt)
        contextDone = context !== undefined
      }
      if (decided && unstated() && !retriesSeen) resetOfRetry(record)
      if (!decided) {
        const at = timeOf(record, writtenAt)
        const said = answerOf(record)
        if (said !== undefined) fromModel(said, at)
        else if (record["type"] === "assistant") fromAgent(record, at)
        else if (record["type"] === "user") fromUser(record, at)
        else if (record["type"] === "system") fromSystem(record, at)
      }
      return decided && contextDone && (!unstated() || retriesSeen) ? "enough" : "more"
    },
    result: () => {
      if (!decided) settle()
      return { turn, context }
    }
  }
}
