import { Context, type Duration, type Effect, type Option, Runtime, Schema } from "effect"
import type { EffectivePermission } from "../settings/Permission.ts"
import type { ProcessIdentity, Tag } from "./Process.ts"
import type { ContextInUse, SessionSigns } from "../evidence/Signs.ts"

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
}

/** An export was not made. `message` says why, without a word of the conversation. */
export class ExportFailed extends Schema.TaggedError<ExportFailed>()("ExportFailed", {
  message: Schema.String
}) {}

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

/** All that tells which session a launch began, of an agent that chooses its ids. */
export interface Reported {
  readonly process: ProcessIdentity
  /** The file of its output; `undefined`: a window has it. */
  readonly output: string | undefined
  /** The folder of its project. */
  readonly folder: string
  /** When it was prepared, epoch ms. A session that began before it is another's. */
  readonly since: number
  /** Holds for the prompt that it was launched with. */
  readonly asked: (prompt: string) => boolean
}

/** A launch of an agent, before it is a command line. */
export interface AgentOrder {
  /** A fresh session of an agent that chooses its ids has the empty id. */
  readonly session:
    | { readonly _tag: "Fresh"; readonly sessionId: string }
    | { readonly _tag: "Resume"; readonly sessionId: string }
  readonly permission: EffectivePermission
  /** Empty: the agent waits for a prompt. */
  readonly prompt: string
  /** A file that the agent must be able to read without a question; absolute. */
  readonly reads?: string
  /** Print mode: the agent ends after its turn, and no person types to it. An agent may know no other mode. */
  readonly print: boolean
}

/** A program, its arguments and its whole environment. No shell reads any of it. */
export interface AgentCommand {
  readonly program: string
  /** Every user of the machine can read them while the process runs. */
  readonly args: ReadonlyArray<string>
  /** The text on standard input of a headless launch, which no other process reads. Absent: the input is empty. */
  readonly input?: string
  /**
   * True if a person may type to it. It gets a window where there is one, and its prompt is an argument. Absent: it is
   * in print mode, and headless wherever souffleur runs.
   */
  readonly window?: boolean
  readonly environment: Readonly<Record<string, string>>
}

/** The agents behind a port that joins several. Each is known by the name of its program. */
export interface JoinedAgents {
  readonly programs: ReadonlyArray<string>
  /** Returns the program of the agent that has the file of a session; of the first agent where none has. */
  readonly programOf: (sessionId: string) => Effect.Effect<string>
  /** Returns the same agents with another one first. It is launched, and answers where no session does. */
  readonly led: (program: string) => Option.Option<Agent["Service"]>
}

/**
 * The port to the sessions of a Conductor's agent program. `AgentKind` has the facts about its kind.
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
    /** See `AgentKind.stall`. */
    readonly stall: Duration.Duration
    /** The agents that this one joins. Absent: it is a single one. */
    readonly joined?: JoinedAgents
    /**
     * The prompt by which a session compacts, the last word of its command line. Such a process holds the session, and
     * is no Conductor. `null`: a session of this agent cannot be told to compact.
     */
    readonly compactPrompt: string | null
    /**
     * Returns the session that a launch began, by the agent's own report; `None`: not yet, or never. Absent: the agent
     * takes the id that a launch gives it.
     */
    readonly sessionOf?: (launch: Reported) => Effect.Effect<Option.Option<string>>
    /** Returns living sessions of this user. A pid file of a dead process does not count. */
    readonly sessions: Effect.Effect<ReadonlyArray<AgentSession>>
    /**
     * Returns the file of a session, by its id or the beginning of it. Checks the id before it is used in any path
     * (spec: behaviour#naming-a-conductor). Fails with `SessionNotFound` unless exactly one file matches.
     */
    readonly sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
    /**
     * Returns the folder where a session began, as its file names it; `None` where it does not. The folder may be gone.
     */
    readonly projectOf: (sessionId: string) => Effect.Effect<Option.Option<string>, SessionNotFound>
    /** Marks the session file as it is now, to compare a compaction with. */
    readonly mark: (sessionId: string) => Effect.Effect<SessionMark, SessionNotFound>
    /**
     * Returns the compaction that whole lines after the mark prove. There is no other proof. A file that was replaced
     * since proves nothing.
     */
    readonly compactedSince: (mark: SessionMark) => Effect.Effect<Compacted>
    /**
     * Returns the count of tool results in these sessions so far, each file once. Results of failed or read-only tools
     * do not count (spec: behaviour#retries).
     */
    readonly toolResults: (sessionIds: ReadonlyArray<string>) => Effect.Effect<number>
    /**
     * Holds if any tool gave this session a result, also a read-only tool. An agent that used none has done nothing.
     */
    readonly usedTools: (sessionId: string) => Effect.Effect<boolean>
    /**
     * Holds if a process with this command line may be such an agent. Anyone who can write the folder can write a pid
     * file. So the process that it names is followed, and stopped later, only when this is `true`.
     */
    readonly isAgent: (words: ReadonlyArray<string>) => boolean
    /** Holds if a process with these arguments ends after its turn. */
    readonly inPrintMode: (args: ReadonlyArray<string>) => boolean
    /**
     * Holds if a process that is gone ended by itself after a finished turn. Then it left no pid file behind (spec:
     * behaviour#print-mode).
     */
    readonly turnEnded: (
      process: { readonly pid: number },
      sessionId: string,
      output?: string
    ) => Effect.Effect<boolean>
    /**
     * Returns the state in the newest records of a session file (`Signs.ts`); `None` where there is no such file. Reads
     * at most some MB of its end. `output`: the file of the output of its newest launch. Some agents tell the state of
     * a turn only there. Absent: a window has it, or no launch is known.
     */
    readonly signs: (sessionId: string, output?: string) => Effect.Effect<Option.Option<SessionSigns>>
    /**
     * Returns the text of the model's last answer; empty where there is none. It is only for showing, and nothing
     * is decided by it.
     */
    readonly lastAnswer: (sessionId: string) => Effect.Effect<string>
    /**
     * Makes a reader of one output, line by line. A line in the agent's format for programs becomes its text, and a
     * line for each tool. `None`: the line is text itself. Into a pipe, a format that the user asked for is text too.
     */
    readonly outputReader: (into?: "terminal" | "pipe") => (line: string) => Option.Option<string>
    /**
     * Returns the model's own answer to a prompt with the line `Hand-off <launchId>`. An error of the service is no
     * answer. A session that cannot be read has not taken its hand-off: `None`.
     */
    readonly handoffTaken: (sessionId: string, launchId: string) => Effect.Effect<Option.Option<HandoffReceipt>>
    /** Returns what these sessions used since a moment (epoch ms). A file that cannot be read counts nothing. */
    readonly spent: (sessionIds: ReadonlyArray<string>, since: number) => Effect.Effect<Spent>
    /**
     * Streams the conversation to Markdown at `out` (0600), whole or not at all. Fails with `ExportFailed` when the
     * file changed meanwhile, and with `SessionNotFound` without a file. `newest`: only that many characters of its end
     * are wanted. Older conversation may be left unread then, and the export says so.
     */
    readonly exportSession: (
      sessionId: string,
      out: string,
      newest?: number
    ) => Effect.Effect<Export, ExportFailed | SessionNotFound>
    /** Returns the environment tags of processes that this process of the session started. */
    readonly tags: (process: { readonly pid: number; readonly sessionId: string }) => ReadonlyArray<Tag>
    /** Returns the environment tag of any process of that session, of any parent. */
    readonly sessionTag: (sessionId: string) => Tag
    /**
     * Makes the command line (spec: behaviour#launch), with an absolute path of the program and an environment from an
     * allow list. Fails with `AgentNotFound` where there is no such program.
     */
    readonly command: (order: AgentOrder) => Effect.Effect<AgentCommand, AgentNotFound>
  }
>()("@souffleur/domain/Agent") {}

/** The agent command names no program that can be run (exit code 2). */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {
  program: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `agent command ${this.program}: ${this.problem}`
  }
}
