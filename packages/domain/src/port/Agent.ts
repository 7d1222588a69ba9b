import { Context, type Duration, type Effect, type Option } from "effect"
import type { Cap, CapNames } from "../evidence/Cap.ts"
import type { SessionSigns } from "../evidence/Signs.ts"
import type { AgentCommand, AgentNotFound, AgentOrder } from "./AgentOrder.ts"
import type {
  AgentSession,
  Compacted,
  Export,
  ExportFailed,
  HandoffReceipt,
  SaidPart,
  SaidPlace,
  SessionFile,
  SessionMark,
  SessionNotFound,
  SessionPast,
  Spent
} from "./AgentSession.ts"
import type { EndWords } from "./EndWord.ts"
import type { SessionMode } from "../settings/Permission.ts"
import type { ProcessIdentity, Tag } from "./Process.ts"

/** All that tells which session a launch began, of an agent that chooses its ids. */
export interface Reported {
  readonly process: ProcessIdentity
  /** The file of its output; `undefined`: a window has it. */
  readonly output: string | undefined
  /** The folder of its project. */
  readonly folder: string
  /** When it was prepared, epoch ms. A session that began before it is another's. */
  readonly since: number
  /** Tests whether a prompt is the one that it was launched with. */
  readonly asked: (prompt: string) => boolean
}

/** The agents behind a port that joins several. Each is known by the name of its program. */
export interface JoinedAgents {
  readonly programs: ReadonlyArray<string>
  /** Returns the program of the agent that has the file of a session; of the first agent where none has. */
  readonly programOf: (sessionId: string) => Effect.Effect<string>
  /** Returns one of the agents alone. */
  readonly only: (program: string) => Option.Option<Agent["Service"]>
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
    readonly stall: Duration.Input
    /** See `EndWords.exits`. Absent: no exit code says why it ended. */
    readonly exits?: EndWords["exits"]
    /** The caps that the user gave the agent by its own flags. Absent: none. */
    readonly caps?: ReadonlyArray<Cap>
    /** The names by which a user caps the use of one process. Absent: the agent takes no caps. */
    readonly capNames?: CapNames
    /**
     * Which of its answers have the form of a launch (`AgentOrder.form`): the last one, or each message of a turn.
     * Absent: it takes no form.
     */
    readonly answersInForm?: "at the end" | "always"
    /**
     * Returns when the files in which the agent of a session keeps its login were last written, epoch ms; 0: there are
     * none. Absent: it keeps the login elsewhere.
     */
    readonly loginWrittenAt?: (sessionId: string) => Effect.Effect<number>
    /** The agents that this one joins. Absent: it is a single one. */
    readonly joined?: JoinedAgents
    /**
     * The prompt by which a session compacts, the last word of its command line. Such a process holds the session, but
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
     * Returns the one session that a process holds by its own pid file, also where a kill left that file behind. It is
     * checked against the start of the process. Absent: the agent leaves no such file.
     */
    readonly holds?: (process: ProcessIdentity) => Effect.Effect<Option.Option<string>>
    /**
     * Returns the file of a session, by its id or the beginning of it. Checks the id before it is used in any path
     * (spec: behaviour#naming-a-conductor). Fails with `SessionNotFound` unless exactly one file matches.
     */
    readonly sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
    /**
     * Returns the folder where a session began, as its file names it; `None` where it does not. The folder may be
     * gone. `here`: a folder that counts in its place, where the agent keeps the file among its sessions, since the
     * project may have been moved.
     */
    readonly projectOf: (sessionId: string, here?: string) => Effect.Effect<Option.Option<string>, SessionNotFound>
    /**
     * Looks for sessions, from now on, also in the folder that the environment of a living process names for them: the
     * user's own wrapper of an agent may set it. Returns the folders of that process which no setting names. Absent:
     * nothing else than the settings names that folder.
     */
    readonly lookWhere?: (process: ProcessIdentity) => Effect.Effect<ReadonlyArray<string>>
    /** Looks for sessions, from now on, also in these folders, which `lookWhere` found before. */
    readonly lookIn?: (folders: ReadonlyArray<string>) => Effect.Effect<void>
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
     * Returns whether any tool gave this session a result, even a tool that only reads. An agent that used none has
     * done nothing.
     */
    readonly usedTools: (sessionId: string) => Effect.Effect<boolean>
    /**
     * Returns whether a process with this command line may be such an agent. Anyone who can write the folder can write
     * a pid file, so a process that it names is followed, and stopped later, only if this is `true`.
     */
    readonly isAgent: (words: ReadonlyArray<string>) => boolean
    /** Returns whether a process with these arguments ends after its turn. */
    readonly inPrintMode: (args: ReadonlyArray<string>) => boolean
    /**
     * Returns whether a process that is gone ended by itself after a finished turn, in which case it left no pid file
     * behind (spec: behaviour#print-mode).
     */
    readonly turnEnded: (
      process: { readonly pid: number },
      sessionId: string,
      output?: string
    ) => Effect.Effect<boolean>
    /**
     * Returns the state in the newest records of a session file (`Signs.ts`), reading at most some MB of its end;
     * `None` if there is no such file. `output`: the file of the output of its newest launch, the only place where some
     * agents tell the state of a turn. Absent: a window has it, or no launch is known.
     */
    readonly signs: (sessionId: string, output?: string) => Effect.Effect<Option.Option<SessionSigns>>
    /** Returns the mode of a session by its newest record; `None`: the agent records none, or it is not known. */
    readonly mode: (sessionId: string) => Effect.Effect<Option.Option<SessionMode>>
    /** Returns the text of the model's last answer, or an empty one. It is only for showing, and decides nothing. */
    readonly lastAnswer: (sessionId: string) => Effect.Effect<string>
    /**
     * Returns a part of the conversation, by reads that are bounded for any size of the session file; `None`: it cannot
     * be read. It is only for showing, and decides nothing. Absent: none can be shown.
     */
    readonly conversation?: (sessionId: string, place?: SaidPlace) => Effect.Effect<Option.Option<SaidPart>>
    /**
     * Returns the use over time that so many bytes of the end of a session file tell, and the list that its agent keeps
     * of its own work; `None`: it cannot be read. It is only for showing, and decides nothing. Absent: nothing can be
     * shown.
     */
    readonly past?: (sessionId: string, bytes: number) => Effect.Effect<Option.Option<SessionPast>>
    /**
     * Makes a reader of one output, line by line. A line in the agent's format for programs becomes its text, and a
     * line for each tool. `None`: the line is text already. Into a pipe, a format that the user asked for is text too.
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
     * are wanted, so that older conversation may be left unread, which the export then says.
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
