import {
  Bounds,
  type ContextInUse,
  plain,
  type ServiceLimit,
  type SessionSigns,
  type TurnState
} from "@souffleur/domain"
import { type Json, timeOf } from "../lines/JsonRecord.ts"
import type { Saying, Sayings } from "./Said.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

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
 * agent is. `contextToo`: the records also have the context in use.
 */
export const makeTurnReading = (sayings: Sayings, contextToo = true): TurnReading => {
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
  const answered = new Set<string>()
  const takenBack = new Set<string>()
  /** When the newest record of the turn was written, where it called no tool yet. */
  let asked: number | undefined

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
    switch (said._tag) {
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
        if (!answered.has(said.id)) turn = { _tag: "Tool", at, name: said.name, limit: undefined, spawns: said.spawns }
        break
      case "Result":
        answered.add(said.id)
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
      let begins = false
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
        if (said._tag === "Limits" && turn?._tag === "Failed" && unstated())
          turn = { ...turn, resetsAt: Bounds.time(said.resetsAt) }
        if (said._tag === "Result") refused ??= said.refused === true
        if (said._tag === "Prompt") refused ??= false
        begins ||= before !== undefined && (said._tag === "Began" || said._tag === "Prompt")
        if (turn === undefined && !unclear) decide(said, at)
      }
      const refusalKnown = refused !== undefined || turn?._tag !== "Finished"
      return (turn !== undefined || unclear) && contextDone && refusalKnown && (!unstated() || begins)
        ? "enough"
        : "more"
    },
    result: () => ({
      turn: turn ?? (asked === undefined ? undefined : { _tag: "Asked", at: asked }),
      context,
      limits,
      mendsUntil,
      refused: refused === true,
      unclear
    })
  }
}
