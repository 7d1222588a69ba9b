import { Runtime, Schema } from "effect"
import type { ContextInUse } from "../evidence/Signs.ts"

/**
 * A session that an agent process says it holds, in a pid file of the agent's own. It is checked against that process's
 * start time.
 */
export interface AgentSession {
  readonly pid: number
  readonly sessionId: string
  readonly project: string
  /** `busy`, `idle`, `waiting` or the word of a newer agent. */
  readonly status: string
  /** The reason of the wait in the agent's own words, such as `permission prompt`; `undefined` when it gives none. */
  readonly waitingFor: string | undefined
  /** When the pid file was last written, epoch ms. The agent writes it only when its status changes. */
  readonly writtenAt: number
  /** Why no watch can have it, and what to type instead. Absent: a watch can have it. */
  readonly unwatchable?: Unwatchable
}

/** A session whose process cannot be replaced by a launch. */
export interface Unwatchable {
  readonly why: string
  /** The command line to type instead. */
  readonly next: string
}

/** A session has no file, or more than one, or an impossible id. `message` is a sentence for a person. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String,
  reason: Schema.Literals(["malformed", "missing", "ambiguous"]),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The file of a session, found by an id or the beginning of one. */
export interface SessionFile {
  /** Absolute. */
  readonly path: string
  /** The full session id. */
  readonly sessionId: string
}

/** The state of a session file at a moment: its end in bytes, and the identity of the file. */
export const SessionMark = Schema.Struct({
  path: Schema.String,
  device: Schema.String,
  inode: Schema.String,
  offset: Schema.Int
})
export type SessionMark = typeof SessionMark.Type

/** The progress of a compaction by the session file. A boundary is the only proof, and the summary comes after it. */
export type Compacted = "not yet" | "boundary" | "summary"

/** The first answer of the model after a launch's own prompt: the hand-off has arrived. */
export interface HandoffReceipt {
  /** When it was written, epoch ms. */
  readonly at: number
  /** The context that the successor began with. */
  readonly context: ContextInUse | undefined
}

/** The use of a model by sessions. */
export interface Spent {
  /** Fresh input, cache writes and output of every answer. */
  readonly tokens: number
  /** US dollars, as the agent itself counts them. It may tell them late. 0 where it records none. */
  readonly dollars: number
  /** Answers of the model. */
  readonly turns: number
  /** Calls of tools. 0 where no cap of the agent counts them. */
  readonly calls: number
  /** Credits of the service, as it counts them itself. 0 where it has none. */
  readonly credits: number
}

/** The use of no session. */
export const nothingSpent: Spent = { tokens: 0, dollars: 0, turns: 0, calls: 0, credits: 0 }

/** Returns the use of several sessions together. */
export const sumSpent = (all: ReadonlyArray<Spent>): Spent =>
  all.reduce(
    (sum, one) => ({
      tokens: sum.tokens + one.tokens,
      dollars: sum.dollars + one.dollars,
      turns: sum.turns + one.turns,
      calls: sum.calls + one.calls,
      credits: sum.credits + one.credits
    }),
    nothingSpent
  )

/** An export was not made. `message` says why, without a word of the conversation. */
export class ExportFailed extends Schema.TaggedError<ExportFailed>()("ExportFailed", {
  message: Schema.String
}) {}

/** Who speaks in a conversation. The summary of what a compaction took away is the agent's too. */
export type Speaker = "User" | "Assistant" | "Summary of what came before"

/** One thing of a conversation, as it was written: a terminal would obey it. It is for showing, and decides nothing. */
export type Utterance =
  | { readonly _tag: "Words"; readonly who: Speaker; readonly text: string }
  | {
      readonly _tag: "Call"
      readonly id: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly _tag: "Result"; readonly id: string; readonly text: string; readonly failed: boolean }
  | { readonly _tag: "Compacted" }
  /** A record that is too long to be read. */
  | { readonly _tag: "LeftOut" }

/** What a record of a session file says. */
export interface SaidRecord {
  /** The byte at which the record begins. */
  readonly offset: number
  /** When it was written, epoch ms; 0: it does not tell. */
  readonly at: number
  /** True if the record is long, so that only the beginnings of its texts were read. */
  readonly cut: boolean
  readonly said: ReadonlyArray<Utterance>
}

/** A place in a session file, in bytes: what comes before it, or after it. Without one it is the end of the file. */
export type SaidPlace = { readonly before: number } | { readonly after: number }

/** A bounded part of a conversation, oldest first. */
export interface SaidPart {
  readonly records: ReadonlyArray<SaidRecord>
  /** Where it begins, in bytes; 0: nothing comes before it. */
  readonly from: number
  /** Where it ends, in bytes. */
  readonly to: number
}

/** A moment of a session, epoch ms. Absent: its record does not tell. */
export interface UsePoint {
  readonly at: number
  /** The context in use at an answer, in tokens, and the window of its model. */
  readonly context?: number
  readonly window?: number
  /** What that answer used. */
  readonly tokens?: number
  readonly dollars?: number
}

/** An item of the list that an agent keeps of its own work. These are words of others. */
export interface Todo {
  readonly text: string
  readonly state: "open" | "doing" | "done" | "dropped"
}

/** What the end of a session file tells of the past. */
export interface SessionPast {
  /** Oldest first. */
  readonly points: ReadonlyArray<UsePoint>
  /** The list that the agent wrote last; `null`: it wrote none there. */
  readonly todos: ReadonlyArray<Todo> | null
}

/** One complete export on disk. */
export const Export = Schema.Struct({
  path: Schema.String,
  bytes: Schema.Int,
  /** Records of the session file that are in it. */
  records: Schema.Int,
  /** Plain sentences: the kind and number of records that were skipped or cut. */
  warnings: Schema.Array(Schema.String)
})
export type Export = typeof Export.Type
