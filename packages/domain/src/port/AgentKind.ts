import { type Duration, type Option, type Result, Runtime, Schema } from "effect"
import type { EndWords } from "./EndWord.ts"
import type { Permission } from "../settings/Permission.ts"
import type { AgentCommand } from "./AgentOrder.ts"

/** The user's agent command: a program and its first arguments. */
export interface AgentProgram {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/**
 * An agent command that no launch may use (exit code 2; spec: settings#agent-command). `problem` is a sentence for a
 * person.
 */
export class AgentCommandRefused extends Schema.TaggedError<AgentCommandRefused>()("AgentCommandRefused", {
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `SOUFFLEUR_AGENT_COMMAND: ${this.problem}`
  }
}

/**
 * A literal command of a known agent that souffleur cannot run in this form (exit 2). `message` says what to write
 * instead.
 */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String,
  /** The watch that looks after its session. */
  watch: Schema.optionalKey(Schema.String),
  /** The agent that works in the folder, and that nobody watches. */
  unwatched: Schema.optionalKey(Schema.Struct({ pid: Schema.Int, sessionId: Schema.UndefinedOr(Schema.String) }))
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The parts of a literal agent command. A launch sets some itself, and every launch of the watch keeps the others. */
export interface LiteralAgent {
  /** The program, and the flags of the user's own choice. */
  readonly agentCommand: AgentProgram
  /** `undefined`: the command names none. */
  readonly session: { readonly _tag: "Fresh" | "Resume"; readonly sessionId: string } | undefined
  readonly print: boolean
  readonly requested: Permission
  /** Empty: there is none. */
  readonly prompt: string
}

/** Variables of a process, by their names. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The agent whose session runs a process, by the environment of that process. */
export interface AgentIdentity {
  /** Empty: the environment names no session. */
  readonly sessionId: string
  /** The agent's own process; `undefined`: the environment does not name it. */
  readonly pid: number | undefined
  /** The folder in which the agent works; empty: the environment does not name it. */
  readonly project: string
  /** A variable that only a session of an agent has; `undefined`: there is none. */
  readonly mark: string | undefined
}

/** The words by which an agent says whether an account is logged in. */
export interface LoginWords {
  /** The arguments that ask for it. */
  readonly asks: ReadonlyArray<string>
  /** Reads the answer; `undefined`: it does not tell, which is not "logged out". */
  readonly reads: (said: string) => boolean | undefined
  /** The command line by which a person logs in. */
  readonly todo: string
}

/** The facts about a kind of agent before any session is read. `Agent` is the port to its sessions. */
export interface AgentKind {
  /** Its name for a person. */
  readonly title: string
  /** Its program: the default of `AGENT_COMMAND`. */
  readonly program: string
  /** The agent's own folder: the first of these variables that is set, else a folder in the user's home. */
  readonly folder: { readonly variables: readonly [string, ...ReadonlyArray<string>]; readonly inHome: string }
  /** The folder of the session files, within the agent's folder. */
  readonly sessions: string
  /**
   * How long a call to the model may be silent before the agent repeats it by itself, unless `STALL_AFTER` says
   * otherwise. A healthy process of the agent uses the processor within that time.
   */
  readonly stall: Duration.Input
  /** The words and exit codes by which it ends. Absent: none is known, and the status of HTTP decides. */
  readonly ends?: EndWords
  /** Variables of a running session, which no new session may inherit. */
  readonly marks: ReadonlySet<string>
  /** Returns the agent of a process with these variables. */
  readonly identity: (variables: Variables) => AgentIdentity
  /** Permissions with which the agent ends at once when root runs it. */
  readonly refusedAsRoot: ReadonlyArray<Permission>
  /**
   * True if a launch with the least permission may edit any file of the user. Absent: only in its folder and among
   * temporary files.
   */
  readonly editsAnywhere?: boolean
  /** True if its session files tell what a session has cost. */
  readonly recordsDollars: boolean
  /** Where a project has settings and instructions for it, files or folders. Absent: nowhere that is known. */
  readonly projectFiles?: ReadonlyArray<string>
  /** The setting that lets the agent commit without a question, as a sentence for a person. */
  readonly commitSetting: string
  /** The least permission with which the agent can commit. Absent: each, where a setting lets it. */
  readonly commitsFrom?: Permission
  /** Returns the first words of a prompt that runs a skill of the user's. Absent: no prompt can. */
  readonly skillPrompt?: (skill: string) => string
  /** How it is asked whether an account is logged in. Absent: it cannot be asked. */
  readonly login?: LoginWords
  /** The words that a person types between the program and a prompt, such as `exec`. */
  readonly typed: ReadonlyArray<string>
  /** Returns the command line by which a person resumes a session. */
  readonly goOn: (sessionId: string) => string
  /** Returns the command line that adds a server of tools to the agent. `command` starts that server. */
  readonly addTools: (name: string, command: string) => string
  /**
   * Returns the kind of agent that has this program, or the command that it begins, where this kind joins several.
   * Absent: it is a single one.
   */
  readonly kindOf?: (program: string, args?: ReadonlyArray<string>) => AgentKind
  /** Returns whether these words are a command of this agent, by the name of its program. */
  readonly owns: (words: ReadonlyArray<string>) => boolean
  /**
   * Reads `AGENT_COMMAND`. Refuses an argument that is not understood, could lift the permission ceiling, or chooses
   * another session.
   */
  readonly parseCommand: (text: string) => Result.Result<AgentProgram, AgentCommandRefused>
  /** Takes a literal command apart where it runs this agent, or the configured agent. `None`: any other command. */
  readonly takeApart: (
    words: ReadonlyArray<string>,
    configured: AgentProgram
  ) => Result.Result<Option.Option<LiteralAgent>, CommandRefused>
  /** Returns the agent command of a launch of that session. */
  readonly ofLaunch: (command: Pick<AgentCommand, "args" | "program">, sessionId: string) => Option.Option<AgentProgram>
}

/** Returns the kind of agent that has this program, or this command, of the kinds that this one joins. */
export const kindOf = (kind: AgentKind, program: string, args?: ReadonlyArray<string>): AgentKind =>
  kind.kindOf?.(program, args) ?? kind
