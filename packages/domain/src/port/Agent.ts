import { Context, type Effect, type Option, Runtime, Schema } from "effect"
import type { EffectivePermission } from "../settings/Permission.ts"
import type { Tag } from "./Process.ts"
import type { ContextInUse, SessionSigns } from "../evidence/Signs.ts"

/**
 * A session that an agent process says it holds, in a pid file of the agent's own, checked against that process's start
 * time.
 */
export interface AgentSession {
  readonly pid: number
  readonly sessionId: string
  readonly project: string
  /** `busy`, `idle`, `waiting` or what a newer agent says. */
  readonly status: string
  /**
   * What it waits for in the agent's own words, such as `permission prompt`; `undefined` when it says nothing of it.
   */
  readonly waitingFor: string | undefined
  /** When the pid file was last written, epoch ms: the agent writes it as its status changes, and not meanwhile. */
  readonly writtenAt: number
}

/** No session file, or more than one, or an id that cannot be one. `message` is a sentence for a person. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String,
  reason: Schema.Literals(["malformed", "missing", "ambiguous"]),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

export interface SessionFile {
  /** Absolute. */
  readonly path: string
  /** The whole id. */
  readonly sessionId: string
}

/** Where a session file stood at a moment: its end then, in bytes, and which file it was. */
export const SessionMark = Schema.Struct({
  path: Schema.String,
  device: Schema.String,
  inode: Schema.String,
  offset: Schema.Int
})
export type SessionMark = typeof SessionMark.Type

/**
 * How far a compaction has come, as the session file says it: a boundary is the only proof, the summary comes after it.
 */
export type Compacted = "not yet" | "boundary" | "summary"

/** The first answer of the model after a launch's own prompt: the hand-off has arrived. */
export interface HandoffTaken {
  /** When it was written, epoch ms. */
  readonly at: number
  /** What the successor began with. */
  readonly context: ContextInUse | undefined
}

export class ExportFailed extends Schema.TaggedError<ExportFailed>()("ExportFailed", {
  message: Schema.String
}) {}

/** One whole export on disk. */
export const Export = Schema.Struct({
  path: Schema.String,
  bytes: Schema.Int,
  /** Records of the session file that are in it. */
  records: Schema.Int,
  /** Plain sentences: what was skipped or cut, and how often. */
  warnings: Schema.Array(Schema.String)
})
export type Export = typeof Export.Type

export interface AgentOrder {
  readonly session:
    | { readonly _tag: "Fresh"; readonly sessionId: string }
    | { readonly _tag: "Resume"; readonly sessionId: string }
  readonly permission: EffectivePermission
  /** Empty: the agent waits for one. */
  readonly prompt: string
  /** A file that the agent must be able to read without being asked; absolute. */
  readonly reads?: string
  /** Print mode: the agent ends after its turn. */
  readonly print: boolean
  /** In a window of a terminal, whose standard input is a person's: the prompt is an argument, in print mode too. */
  readonly window?: boolean
}
/** A program, its arguments and its whole environment; no shell reads any of it. */
export interface AgentCommand {
  readonly program: string
  /** Every user of the machine can read them, as long as it runs. */
  readonly args: ReadonlyArray<string>
  /**
   * What it reads on standard input, and nobody else does: for a headless launch. Without it there is nothing to read.
   */
  readonly input?: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The agent program that a Conductor runs: what is known of its sessions. `AgentKind` has what is known of its kind.
 *
 * @example
 * ```ts
 * import { Agent } from "@souffleur/domain"
 * import { Effect, Option } from "effect"
 *
 * const tokensInUse = Effect.fn("tokensInUse")(function* (sessionId: string) {
 *   const agent = yield* Agent
 *   const signs = yield* agent.signs(sessionId)
 *   return Option.getOrUndefined(signs)?.context?.tokens
 * })
 * ```
 */
export class Agent extends Context.Service<
  Agent,
  {
    readonly name: string
    /**
     * The prompt by which a session compacts, the last word of its command line: that process holds the session, and is
     * no Conductor.
     */
    readonly compactPrompt: string
    /** Live sessions of this user; a pid file that a dead process left is not one. */
    readonly sessions: Effect.Effect<ReadonlyArray<AgentSession>>
    /**
     * Where a session is kept, by its id or the beginning of it. Checks the id before it is used in any path
     * (spec: behaviour#naming-a-conductor).
     */
    readonly sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
    /** The folder in which a session began, as its file says it; `None` where it does not. It may be gone by now. */
    readonly projectOf: (sessionId: string) => Effect.Effect<Option.Option<string>, SessionNotFound>
    /** The session file as it stands: what a compaction is measured against. */
    readonly mark: (sessionId: string) => Effect.Effect<SessionMark, SessionNotFound>
    /**
     * How far whole lines that began after the mark say that the session was compacted: the only proof there is. A file
     * that was replaced since proves nothing.
     */
    readonly compactedSince: (mark: SessionMark) => Effect.Effect<Compacted>
    /**
     * Results of tools in these sessions so far, each file once: what only looked, or failed, is none (spec:
     * behaviour#retries).
     */
    readonly toolResults: (sessionIds: ReadonlyArray<string>) => Effect.Effect<number>
    /**
     * Whether any tool gave this session a result, of one that only looks too: an agent that used none has done
     * nothing.
     */
    readonly usedTools: (sessionId: string) => Effect.Effect<boolean>
    /**
     * Whether a process with this command line may be such an agent. A pid file can be written by anybody who writes
     * there: whom it names is followed, and stopped one day, only when this says so.
     */
    readonly isAgent: (words: ReadonlyArray<string>) => boolean
    /** Whether a process with these arguments ends after its turn. */
    readonly inPrintMode: (args: ReadonlyArray<string>) => boolean
    /**
     * Whether a process that is gone ended by itself after a finished turn: it left no pid file behind (spec:
     * behaviour#print-mode).
     */
    readonly turnEnded: (process: { readonly pid: number }, sessionId: string) => Effect.Effect<boolean>
    /**
     * What the newest records of a session file state (`Signs.ts`); `None` where there is no such file. Some MB of its
     * end are read at most.
     */
    readonly signs: (sessionId: string) => Effect.Effect<Option.Option<SessionSigns>>
    /**
     * Whether a prompt with the line `Hand-off <launchId>` was answered by the model itself: an error of the service is
     * no answer. What cannot be read has not been taken.
     */
    readonly handoffTaken: (sessionId: string, launchId: string) => Effect.Effect<Option.Option<HandoffTaken>>
    /**
     * Tokens that these sessions used since a moment (epoch ms): fresh input, cache writes and output of every answer.
     * What cannot be read counts nothing.
     */
    readonly spent: (sessionIds: ReadonlyArray<string>, since: number) => Effect.Effect<number>
    /**
     * Streams the conversation to Markdown at `out` (0600), whole or not at all. Fails when the file changed meanwhile.
     */
    readonly exportSession: (sessionId: string, out: string) => Effect.Effect<Export, ExportFailed | SessionNotFound>
    /** How a process of that session is known by its environment. */
    readonly tags: (process: { readonly pid: number; readonly sessionId: string }) => ReadonlyArray<Tag>
    /** How any process of that session is known, whoever started it. */
    readonly sessionTag: (sessionId: string) => Tag
    /**
     * The command line (spec: behaviour#launch), program resolved to an absolute path, environment from an allow list.
     */
    readonly command: (order: AgentOrder) => Effect.Effect<AgentCommand, AgentNotFound>
  }
>()("@souffleur/domain/Agent") {}

/** The agent command names no program that can be run. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  program: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `agent command ${this.program}: ${this.problem}`
  }
}
