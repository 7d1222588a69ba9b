import type {
  Agent,
  AgentCommand,
  AgentNotFound,
  AgentOrder,
  AgentSession,
  Cap,
  CapNames,
  EndWords,
  Errands,
  Processes,
  SessionFile,
  SessionMode,
  SessionNotFound
} from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import type { Duration, Effect, FileSystem, Option, Path } from "effect"
import type { IsOther } from "../export/TranscriptReading.ts"
import type { Json } from "../lines/JsonRecord.ts"
import type { Sayings } from "../said/Said.ts"
import type { ToolLimit } from "../said/SaidTurn.ts"
import type { SessionFolder } from "./FindSession.ts"

/** Services that the acts of a dialect may use. */
export type Needs = Errands | FileSystem.FileSystem | Path.Path | Processes | TrustedFiles

/** Facts of sessions, as their files tell them. */
export interface KnownSessions {
  /** Empty: it is unknown. */
  readonly projectOf: (sessionId: string) => Effect.Effect<string>
  /** Returns whether the session has no unfinished turn. */
  readonly isIdle: (sessionId: string) => Effect.Effect<boolean>
  /** Returns whether a subagent has the session. */
  readonly isSubagent: (sessionId: string) => Effect.Effect<boolean>
}

/** How long the user lets the agent take, by its settings. */
export interface OwnTimes {
  /** See `SessionSigns.callLimit`; 0: the user has set none. */
  readonly call: number
  /** Absent: no limit of a tool is known. */
  readonly ofTool?: ToolLimit
  /** A text that stays equal as long as `ofTool` is the same. */
  readonly state?: string
}

/** All that tells an agent with one file of JSON lines a session from another such agent. */
export interface AgentDialect extends SessionFolder {
  readonly name: string
  /** Its name for a person. */
  readonly title: string
  readonly sayings: Sayings
  /** True if a call is written again while its tool runs, under an id that no other call has. */
  readonly repeatsCalls?: boolean
  /**
   * Makes a reader of the agent's output, where its session file does not tell that a turn ended. It reads the newest
   * record first. The output of the newest launch decides then. Absent: the session file tells it.
   */
  readonly outputSayings?: () => Sayings
  /**
   * Tells by the records of a session, the newest first, whether the agent itself would resume it. `undefined`: an
   * older record tells. Absent: it resumes each.
   */
  readonly resumable?: (record: Json) => boolean | undefined
  /** Tells of a line from its beginning alone that it is no part of the conversation. */
  readonly isOther?: IsOther
  /** Returns whether a command line is the agent's. */
  readonly runs: (words: ReadonlyArray<string>) => boolean
  /** See `Agent.answersInForm`. */
  readonly answersInForm?: "at the end" | "always"
  /** True if a healthy process may use no processor for as long as it waits. */
  readonly idles: boolean
  /** Returns whether a process with these arguments ends after its turn. If absent, every process does. */
  readonly inPrintMode?: (args: ReadonlyArray<string>) => boolean
  /** The environment variable that names the session in the agent's tools. */
  readonly variable: string
  /**
   * Lists living sessions, where the agent has a sign of its own. Absent: each launch carries `variable`, and so do
   * the tools.
   */
  readonly sessions?: (known: KnownSessions) => Effect.Effect<ReadonlyArray<AgentSession>, never, Needs>
  /**
   * Lists the files of the subagents below a session, at any depth. Absent: their records are in the session's own
   * file, or it has none.
   */
  readonly subagents?: (session: SessionFile) => Effect.Effect<ReadonlyArray<string>, never, Needs>
  /**
   * Returns the session that a subagent works for, by a record of the subagent's own session. `undefined`: the record
   * does not tell one. Absent: subagents have no sessions of their own.
   */
  readonly worksFor?: (record: Json) => string | undefined
  /** The session in the output of a launch, of an agent that chooses its ids. */
  readonly sessionIn?: (output: string) => Effect.Effect<Option.Option<string>, never, Needs>
  /**
   * Reads how long the user lets the agent take. `project`: empty where it is not known. Absent: as it does by itself.
   */
  readonly ownTimes?: (project: string) => Effect.Effect<OwnTimes, never, Needs>
  /** Finds a session file. Absent: in the folder. */
  readonly find?: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound, Needs>
  /** See `Agent.caps`. */
  readonly caps: ReadonlyArray<Cap>
  /** See `Agent.capNames`. */
  readonly capNames: CapNames
  /** See `EndWords.exits`. */
  readonly exits?: EndWords["exits"]
  /** See `AgentKind.stall`. */
  readonly stall: Duration.Input
  /** The files in which the agent keeps its login, absolute. Absent: it keeps the login elsewhere. */
  readonly loginFiles?: ReadonlyArray<string>
  /** See `Agent.compactPrompt`. Absent: a session cannot be told to compact. */
  readonly compactPrompt?: string
  /** See `Agent.outputReader`. Absent: its output is text. */
  readonly outputReader?: () => (line: string) => Option.Option<string>
  /** True if a launch has the format of that reader, and the user did not ask for it. Absent: only the user asks. */
  readonly addsFormat?: boolean
  /**
   * Makes a reader of the mode that a record tells, the newest record first. Absent: the agent records no mode, and no
   * launch of it can be held to one.
   */
  readonly modes?: () => (record: Json) => SessionMode | undefined
  /** Completes the port by what only this agent has. It gets the port that follows from the rest. */
  readonly own?: (said: Agent["Service"]) => Effect.Effect<Partial<Agent["Service"]>, never, Needs>
  /** Makes the command line of a launch. A session that is to be resumed always has an id. */
  readonly command: (
    order: AgentOrder,
    sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
  ) => Effect.Effect<AgentCommand, AgentNotFound, Needs>
}
