import { blocksOf, isJson, type Json, textOf, timeOf } from "@souffleur/session"
import { Bounds, type ContextInUse, type SessionSigns, type TurnState } from "@souffleur/domain"
import { noLimits, type OwnLimits } from "../settings/OwnLimits.ts"
import { contextOf } from "./Context.ts"
import { failureOf, resetOf } from "./ApiFailure.ts"
import { answerOf, isMain, textsOf } from "./Records.ts"

/**
 * Milliseconds of a Bash call without a timeout. This is the agent's maximum, as a user may have raised its default of
 * two minutes where souffleur does not see it.
 */
const bashLimit = 600_000
/** Tools that take no time: they read and write files. */
const instant = new Set(["Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "TodoWrite", "Write"])
/** Tools that end when a person has answered. */
const questions = new Set(["AskUserQuestion", "ExitPlanMode"])

/** Returns the milliseconds that a tool call may take. `undefined`: no limit of the agent is known. */
const limitOf = (name: string, input: unknown, set: OwnLimits): number | undefined => {
  if (instant.has(name)) return 0
  const most = Math.max(set.BASH_MAX_TIMEOUT_MS, set.BASH_DEFAULT_TIMEOUT_MS)
  if (name !== "Bash") {
    // A subagent may run such a call, too.
    const longest = name.startsWith("mcp__") ? set.MCP_TOOL_TIMEOUT : most
    return longest > Bounds.maxToolMillis ? longest : undefined
  }
  const stated = Bounds.toolLimit(isJson(input) ? input["timeout"] : undefined, most)
  return stated ?? Math.max(bashLimit, set.BASH_DEFAULT_TIMEOUT_MS)
}

/**
 * Recognises the output of the agent's own command, such as `/model`, which does not ask the model. (A shell command
 * does.)
 */
const isLocal = (record: Json): boolean =>
  textsOf(record["message"]).some((text) => /^<local-command-(?:stdout|stderr)>/u.test(text.trimStart()))

/** Returns whether a record is the result of a tool that a permission refused. A prompt is never one. */
const isRefusal = (record: Json): boolean => {
  const decision = record["permissionDecision"]
  return isJson(decision) && decision["decision"] === "reject"
}

/**
 * The reasons of an answer without a tool call after which the agent goes on by itself, or says why not in its next
 * record (spec: claude-code#ends). Any other reason ends the turn, whatever a gateway calls it.
 */
const unfinished: ReadonlySet<unknown> = new Set([
  "tool_use",
  "max_tokens",
  "model_context_window_exceeded",
  "compaction",
  "refusal"
])

/** Returns whether the agent ended the turn at the most turns that its user allows. */
const reachedTurns = ({ attachment, type }: Json): boolean =>
  type === "attachment" && isJson(attachment) && attachment["type"] === "max_turns_reached"

type Open = Extract<TurnState, { readonly _tag: "Tool" | "Question" }>
const lasts = (turn: Open): number =>
  turn._tag === "Question" ? Infinity : turn.at + (turn.limit ?? Number.MAX_SAFE_INTEGER)

/** Takes the records of a session, the newest first, until the state of the session is known. */
export interface Reading {
  readonly take: (record: Json, writtenAt: number) => "more" | "enough"
  readonly result: () => Pick<SessionSigns, "context" | "turn"> & { readonly refused: boolean }
}

/**
 * Reads the state of the turn from the newest records of the main conversation. Tools may run side by side. Then each
 * call and each result is its own record, in the order of time. Records of subagents, meta records and unknown records
 * are ignored. `set`: the limits that the user gave the agent.
 */
export const makeReading = (set: OwnLimits = noLimits): Reading => {
  let turn: TurnState | undefined
  let decided = false
  let context: ContextInUse | undefined
  let contextDone = false
  /** True if the newest tool was refused. `undefined`: nothing older than the last word was read yet. */
  let refused: boolean | undefined
  /** Results of tools, newest first, and calls that have none. */
  const answered = new Set<unknown>()
  const open: Array<Open> = []
  let answeredAt: number | undefined
  let message: unknown

  const decide = (known: TurnState | undefined) => {
    turn = known
    decided = true
  }
  /** A limit without an end may have stated it at the retries right before it: the next such record decides. */
  const unstated = () => turn?._tag === "Failed" && turn.reason === "usage-limit" && turn.resetsAt === undefined
  let retriesSeen = false
  const resetOfRetry = (record: Json) => {
    const retry = record["type"] === "system" && record["subtype"] === "api_error"
    if (turn?._tag === "Failed" && retry) turn = { ...turn, resetsAt: resetOf(record) }
    retriesSeen = retry || record["type"] === "user" || record["type"] === "assistant"
  }
  /** Decides once calls and answers are known; nothing older belongs to them. */
  const settle = (): boolean => {
    const [longest] = open.toSorted((a, b) => lasts(b) - lasts(a))
    if (longest !== undefined) decide(longest)
    else if (answeredAt !== undefined) decide({ _tag: "Asked", at: answeredAt })
    return decided
  }

  const fromUser = (record: Json, at: number) => {
    const results = blocksOf(record["message"]).filter(({ type }) => type === "tool_result")
    for (const { tool_use_id } of results) answered.add(tool_use_id)
    // An answer by a schema is a call of a tool, and the model says nothing after it.
    if (record["toolEndsTurn"] === true && open.length === 0 && answeredAt === undefined)
      decide({ _tag: "Finished", at })
    else if (results.length > 0) answeredAt ??= at
    else if (!settle()) decide({ _tag: isLocal(record) ? "Finished" : "Asked", at })
  }
  const fromModel = (said: Json, at: number) => {
    const calls = blocksOf(said).filter(({ type }) => type === "tool_use")
    const seen = open.length > 0 || answeredAt !== undefined
    if (calls.length === 0 && !seen) {
      const reason = said["stop_reason"]
      if (typeof reason === "string" && !unfinished.has(reason)) return decide({ _tag: "Finished", at })
      return decide({ _tag: "Asked", at, ...(reason === "tool_use" ? {} : { answered: true }) })
    }
    if (message !== undefined && said["id"] !== message) return void settle()
    message = said["id"]
    for (const { id, input, name: named } of calls) {
      if (answered.has(id)) continue
      const name = textOf(named)
      open.push(
        questions.has(name)
          ? { _tag: "Question", at, name }
          : { _tag: "Tool", at, name, limit: limitOf(name, input, set), spawns: name === "Bash" }
      )
    }
  }
  /**
   * Reads a record that the agent put into the model's mouth. It is an error of the service, or a restart, after which
   * nothing is outstanding.
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
      // A compaction by hand ends the turn. An automatic one continues it, with the summary.
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
      if (record["type"] === "user") refused ??= isRefusal(record)
      if (decided && unstated() && !retriesSeen) resetOfRetry(record)
      if (!decided) {
        const at = timeOf(record, writtenAt)
        const said = answerOf(record)
        if (said !== undefined) fromModel(said, at)
        else if (record["type"] === "assistant") fromAgent(record, at)
        else if (record["type"] === "user") fromUser(record, at)
        else if (record["type"] === "system") fromSystem(record, at)
        else if (reachedTurns(record)) decide({ _tag: "Failed", at, reason: "cap", resetsAt: undefined })
      }
      return decided && contextDone && refused !== undefined && (!unstated() || retriesSeen) ? "enough" : "more"
    },
    result: () => {
      if (!decided) settle()
      return { turn, context, refused: refused === true }
    }
  }
}
