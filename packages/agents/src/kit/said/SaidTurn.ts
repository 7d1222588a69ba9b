import {
  Bounds,
  type ContextInUse,
  plain,
  type ServiceLimit,
  type SessionSigns,
  type TurnState
} from "@souffleur/domain"
import { wordSet } from "../command/WordSet.ts"
import { type Json, timeOf } from "../lines/JsonRecord.ts"
import type { Saying, Sayings } from "./Said.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>
type Open = Extract<TurnState, { readonly _tag: "Tool" | "Question" }>

const lasts = (turn: Open): number =>
  turn._tag === "Question" ? Infinity : turn.at + (turn.limit ?? Number.MAX_SAFE_INTEGER)

/** Returns the milliseconds that a call of a tool may take; `undefined`: no limit of the agent is known. */
export type ToolLimit = (name: string, input: Json) => number | undefined
/** Facts that begin or end a turn, and that are older than its newest tools. */
const edges = wordSet("Began Ended Failed Prompt Unclear")

/** UTF-16 units of an agent's words for a failure. */
const maxWords = 80

/** Takes the records of a session, the newest first, until the state of the session is known. */
export interface TurnReading {
  readonly take: (record: Json, writtenAt: number) => "more" | "enough"
  /** `mendsUntil`: the agent may mend its failed turn by itself until then (epoch ms), as long as it lives. */
  readonly result: () => Pick<SessionSigns, "context" | "turn"> & {
    readonly limits: ReadonlyArray<ServiceLimit>
    readonly mendsUntil: number
    /** True if a permission refused the newest tool of the turn. */
    readonly refused: boolean
    /** True if the records cannot tell the turn. `false` beside no turn: none has begun. */
    readonly unclear: boolean
  }
}

/**
 * Reads the state of the turn from the newest records. A turn ends by its own record, whatever the exit code of the
 * agent is. `contextToo`: the records also have the context in use. Tools may run side by side, and then the one that
 * may take longest tells.
 */
export const makeTurnReading = (
  sayings: Sayings,
  {
    contextToo = true,
    limitOf = () => undefined
  }: { readonly contextToo?: boolean; readonly limitOf?: ToolLimit | undefined } = {}
): TurnReading => {
  let turn: TurnState | undefined
  let unclear = false
  let mendsUntil = 0
  let compacted = false
  let context: ContextInUse | undefined
  let contextDone = !contextToo
  let windowOlder = false
  let limits: ReadonlyArray<ServiceLimit> = []
  /** `undefined`: nothing older than the last word was read yet. Another file than the session's has no tools. */
  let refused: boolean | undefined = contextToo ? undefined : false
  /** True once the beginning of the turn was read. */
  let begun = false
  const answered = new Set<string>()
  const takenBack = new Set<string>()
  /** When the newest record of the turn was written, where it called no tool yet. */
  let asked: number | undefined
  const open: Array<Open> = []
  /** When the newest result of a tool was written. */
  let resultAt: number | undefined
  /** The answer with the newest calls, of an agent whose answers have several records. */
  let answer: { readonly of: unknown } | undefined
  const isInTools = () => open.length > 0 || resultAt !== undefined
  /** Decides once calls and results are known: nothing older belongs to them. */
  const settle = (): void => {
    const [longest] = open.toSorted((a, b) => lasts(b) - lasts(a))
    turn = longest ?? (resultAt === undefined ? turn : { _tag: "Asked", at: resultAt })
  }
  const part = ({ ends, of }: Extract<Saying, { readonly _tag: "Part" }>, at: number): void => {
    if (ends !== "calls" && !isInTools()) {
      turn =
        ends === "turn"
          ? { _tag: "Finished", at }
          : { _tag: "Asked", at, ...(ends === "asks" ? {} : { answered: true }) }
    } else if (answer?.of !== undefined && answer.of !== of) settle()
    else answer = { of }
  }

  const failed = (
    { asksWithin, id = "", reason, resetsAt, words = "" }: Extract<Saying, { readonly _tag: "Failed" }>,
    at: number
  ) => {
    const mends = takenBack.has(id)
    mendsUntil = mends ? Infinity : asksWithin === undefined ? 0 : at + asksWithin
    // A failure that was taken back is asked again. A full conversation must be compacted first.
    turn =
      mends && (reason !== "prompt-too-long" || compacted)
        ? { _tag: "Asked", at: asked ?? at }
        : fail(reason, resetsAt, at, words)
  }
  const fail = (reason: Failed["reason"], resetsAt: number | undefined, at: number, words: string): Failed => ({
    _tag: "Failed",
    at,
    reason,
    resetsAt: Bounds.time(resetsAt),
    ...(words === "" || reason !== "other" ? {} : { words: plain(words, maxWords) })
  })
  const decide = (said: Saying, at: number): void => {
    if (answer !== undefined && isInTools() && edges.has(said._tag)) return settle()
    switch (said._tag) {
      case "Part":
        part(said, at)
        break
      case "Retrying": {
        const { attempt, attempts, resetsAt, wait } = said
        if (!isInTools()) turn = { _tag: "Retrying", at, attempt, attempts, nextAt: at + wait, resetsAt }
        break
      }
      case "Ended":
        turn = { _tag: "Finished", at }
        break
      case "Failed":
        failed(said, at)
        break
      case "TakenBack":
        takenBack.add(said.id)
        asked ??= at
        break
      case "Call":
        if (answered.has(said.id) || said.byService === true) break
        open.push(
          said.asks === true
            ? { _tag: "Question", at, name: said.name }
            : { _tag: "Tool", at, name: said.name, limit: limitOf(said.name, said.input), spawns: said.spawns }
        )
        break
      case "Result":
        if (said.byService === true) break
        answered.add(said.id)
        resultAt ??= at
        asked ??= at
        break
      case "Answer":
        asked ??= at
        break
      case "Unclear":
        unclear = asked === undefined
        break
      case "Compacted":
        // An agent compacts after its turn, and in the middle of one. Older records tell which.
        asked ??= at
        compacted = true
        break
      case "Began":
      case "Prompt":
        turn = { _tag: "Asked", at: asked ?? at }
        break
      default:
    }
  }
  const unstated = () => turn?._tag === "Failed" && turn.reason === "usage-limit" && turn.resetsAt === undefined

  return {
    take: (record, writtenAt) => {
      const at = timeOf(record, writtenAt)
      const before = turn
      for (const said of sayings(record).toReversed()) {
        if (said._tag === "Context" && !contextDone) {
          const { model, window } = said
          const tokens = context?.tokens ?? said.tokens
          // A count beyond the window means another window.
          const known = typeof window === "number" && tokens <= window ? window : undefined
          const newest = context ?? { at, model }
          if (tokens > 0) context = { at: newest.at, model: newest.model, tokens, window: known }
          windowOlder = window === "older"
        }
        contextDone ||= said._tag === "Compacted" || (context !== undefined && !windowOlder)
        if (said._tag === "Limits" && limits.length === 0) limits = said.limits.map((one) => ({ ...one, at }))
        // The service states its limits with the request that they ended.
        if (said._tag === "Limits" && turn?._tag === "Failed" && unstated() && !begun)
          turn = { ...turn, resetsAt: Bounds.time(said.resetsAt) }
        if (said._tag === "Result") refused ??= said.refused === true
        if (said._tag === "Prompt") refused ??= false
        begun ||= before !== undefined && (said._tag === "Began" || said._tag === "Prompt")
        if (turn === undefined && !unclear) decide(said, at)
      }
      if (turn === undefined && answer === undefined && open.length > 0) settle()
      const refusalKnown = refused !== undefined || turn?._tag !== "Finished"
      return (turn !== undefined || unclear) && contextDone && refusalKnown && (!unstated() || begun)
        ? "enough"
        : "more"
    },
    result: () => {
      if (turn === undefined && answer !== undefined) settle()
      if (turn === undefined && asked !== undefined) turn = { _tag: "Asked", at: asked }
      return { turn, context, limits, mendsUntil, refused: refused === true, unclear }
    }
  }
}
