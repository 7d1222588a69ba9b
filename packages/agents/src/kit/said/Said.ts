import type { ServiceLimit, TurnState } from "@souffleur/domain"
import type { Json } from "../lines/JsonRecord.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

/**
 * One fact that a record of a session file says, in the same words for every agent. Signs, counts, the receipt of a
 * hand-off and the export follow from these facts. A record may say several, in their order, or none.
 */
export type Saying =
  /** The folder of the session, and the version of the agent. */
  | { readonly _tag: "Session"; readonly folder?: unknown; readonly version?: unknown }
  /** Words of a person or of a launch. The agent's own words to its model are none. */
  | { readonly _tag: "Prompt"; readonly text: string }
  /** A turn began, where a record of its own says so. */
  | { readonly _tag: "Began" }
  | { readonly _tag: "Answer"; readonly text: string }
  /** `spawns`: the agent starts a process for this tool. `edits`: the files that it changes. */
  | {
      readonly _tag: "Call"
      readonly id: string
      readonly name: string
      readonly input: Json
      readonly spawns: boolean
      readonly edits: ReadonlyArray<string>
    }
  /** `refused`: a permission refused the tool, and its record says so. Absent: it did not, or no record tells it. */
  | {
      readonly _tag: "Result"
      readonly id: string
      readonly text: string
      readonly failed: boolean
      readonly refused?: boolean
    }
  /** A tool did something, and did not fail. Tools that only read, and souffleur's own, do not say so. */
  | { readonly _tag: "Progress" }
  /**
   * The agent said its last word of the turn. `Unclear`: it may have, or a tool may run. The session file does not tell
   * which before its next record.
   */
  | { readonly _tag: "Ended" | "Unclear" }
  /**
   * An error of the service ended the turn. `resetsAt`: the end of a used-up limit (epoch ms), where the record states
   * it. `id`: the record, where a later one may take it back. `asksWithin`: the ms within which a living agent asks
   * again by itself. `words`: the agent's own for another reason.
   */
  | {
      readonly _tag: "Failed"
      readonly reason: Failed["reason"]
      readonly resetsAt?: number | undefined
      readonly id?: string
      readonly asksWithin?: number
      readonly words?: string
    }
  /** The agent took a failure back, and continues by itself. */
  | { readonly _tag: "TakenBack"; readonly id: string }
  /**
   * The limits of the service, each with what is used of it. `resetsAt`: the end of a used-up limit, which was stated
   * before the failure; `undefined`: none was stated.
   */
  | {
      readonly _tag: "Limits"
      readonly resetsAt: number | undefined
      readonly limits: ReadonlyArray<Omit<ServiceLimit, "at">>
    }
  /** The context of the last answer, as the service counted it. A count of zero is none. `older`: see older records. */
  | {
      readonly _tag: "Context"
      readonly tokens: number
      readonly window?: number | "older" | undefined
      readonly model: string
    }
  /**
   * The use of a model by one answer, without what a cache gave. `dollars` and `credits`: absent where no record tells
   * them.
   */
  | { readonly _tag: "Used"; readonly tokens: number; readonly dollars?: number; readonly credits?: number }
  /** A summary took the place of the conversation before it. */
  | { readonly _tag: "Compacted"; readonly summary: string }

/** Reads what a record says. It never throws, whatever the record is. */
export type Sayings = (record: Json) => ReadonlyArray<Saying>
