import type { ServiceLimit, Speaker, TurnState } from "@souffleur/domain"
import type { Json } from "../lines/JsonRecord.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>
type Retrying = Extract<TurnState, { readonly _tag: "Retrying" }>

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
  /**
   * A record has a part of an answer, whose parts are named alike. A newer call or result shows that it was not the
   * last. `turn`: the turn ends with it. `asks`: the agent asks the model once more. `unsaid`: its reason does not say
   * whether. `calls`: it calls tools. An agent that runs several at once says so of each record of an answer.
   */
  | { readonly _tag: "Part"; readonly of: unknown; readonly ends: "turn" | "asks" | "unsaid" | "calls" }
  /** Words and files that a conversation shows, and that are neither a prompt nor an answer. */
  | { readonly _tag: "Shown"; readonly who: Speaker; readonly text: string }
  | { readonly _tag: "Attached"; readonly who: Speaker; readonly file: string }
  /**
   * `spawns`: the agent starts a process for this tool. `edits`: the files that it changes. `asks`: it ends when a
   * person has answered. `byService`: the service runs it within its answer.
   */
  | {
      readonly _tag: "Call"
      readonly id: string
      readonly name: string
      readonly input: Json
      readonly spawns: boolean
      readonly edits: ReadonlyArray<string>
      readonly asks?: boolean
      readonly byService?: boolean
    }
  /**
   * A call of a tool that only reads, or of souffleur's own. No result of it is progress. `answers`: the agent answers
   * by it, and it is no tool that does anything.
   */
  | { readonly _tag: "Look"; readonly id: string; readonly answers?: boolean }
  /**
   * `refused`: a permission refused the tool, and its record says so. Absent: it did not, or no record tells it.
   * `files`: what came beside the text.
   */
  | {
      readonly _tag: "Result"
      readonly id: string
      readonly text: string
      readonly failed: boolean
      readonly refused?: boolean
      readonly files?: ReadonlyArray<string>
      readonly byService?: boolean
    }
  /**
   * A tool did something, and did not fail. Tools that only read, and souffleur's own, do not say so. `of`: its call,
   * where an older record tells which tool it was.
   */
  | { readonly _tag: "Progress"; readonly of?: string }
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
  /** The service failed, and the agent asks again after `wait` ms. */
  | ({ readonly _tag: "Retrying" } & Pick<Retrying, "attempt" | "attempts" | "resetsAt"> & { readonly wait: number })
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
   * them. `of`: the answer, where several records count it, the last one finally. `aside`: a subagent's, whose turns
   * count for no cap.
   */
  | {
      readonly _tag: "Used"
      readonly tokens: number
      readonly dollars?: number
      readonly credits?: number
      readonly of?: unknown
      readonly aside?: boolean
    }
  /** What the session has cost until now, in dollars. The count begins again with a process. */
  | { readonly _tag: "Cost"; readonly dollars: number }
  /** A summary took the place of the conversation before it. Absent: a later record has it. */
  | { readonly _tag: "Compacted"; readonly summary?: string }
  | { readonly _tag: "Summary"; readonly text: string }

/** Reads what a record says. It never throws, whatever the record is. */
export type Sayings = (record: Json) => ReadonlyArray<Saying>
