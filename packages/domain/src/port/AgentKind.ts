import { type Duration, type Option, type Result, Runtime, Schema } from "effect"
import type { Permission } from "../settings/Permission.ts"
import type { AgentCommand } from "./Agent.ts"

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
 * A literal command of a known agent that souffleur cannot run as it stands (exit 2). `message` says what to write
 * instead.
 */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * A literal command of an agent, taken apart: what a launch sets itself, and what stays for every launch of its watch.
 */
export interface LiteralAgent {
  /** The program, and the flags that are the user's own choice. */
  readonly agentCommand: AgentProgram
  /** `undefined`: none was named. */
  readonly session: { readonly _tag: "Fresh" | "Resume"; readonly sessionId: string } | undefined
  readonly print: boolean
  readonly requested: Permission
  /** Empty: there is none. */
  readonly prompt: string
}

/** Variables of a process, by their names. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The agent in whose session a process runs, as its environment says. */
export interface AgentIdentity {
  /** Empty: it names no session. */
  readonly sessionId: string
  /** The agent's own process; `undefined`: it is not named. */
  readonly pid: number | undefined
  /** The folder in which the agent works; empty: it is not named. */
  readonly project: string
  /** A variable that only an agent's session has; `undefined`: there is none. */
  readonly mark: string | undefined
}

/** What is known of a kind of agent before any session of it is looked at; `Agent` is the port to its sessions. */
export interface AgentKind {
  /** Its name for a person. */
  readonly title: string
  /** Its program: the default of `AGENT_COMMAND`. */
  readonly program: string
  /** Where it keeps its files: what the first of these variables says that is set, else a folder in the user's home. */
  readonly folder: { readonly variables: readonly [string, ...ReadonlyArray<string>]; readonly inHome: string }
  /** Where in that folder its session files are. */
  readonly sessions: string
  /**
   * For how long a call to its model may be silent before it goes on by itself: the default of `STALL_AFTER`. A healthy
   * process of it uses the processor within that time.
   */
  readonly stall: Duration.Duration
  /** Variables of a session that is going on: no new one may inherit them. */
  readonly marks: ReadonlySet<string>
  /** Who runs a process with these variables. */
  readonly identity: (variables: Variables) => AgentIdentity
  /** Permissions with which it ends at once where root runs it. */
  readonly refusedAsRoot: ReadonlyArray<Permission>
  /** The command line by which a person goes on with a session. */
  readonly goOn: (sessionId: string) => string
  /** The command line by which a person gives it a server of tools, which this command starts. */
  readonly addTools: (name: string, command: string) => string
  /**
   * Reads `AGENT_COMMAND`. An argument that could lift the permission ceiling or choose another session is refused, and
   * so is one that is not understood.
   */
  readonly parseCommand: (text: string) => Result.Result<AgentProgram, AgentCommandRefused>
  /** Takes a literal command apart where it runs this agent, or the configured one. `None`: any other command. */
  readonly takeApart: (
    words: ReadonlyArray<string>,
    configured: AgentProgram
  ) => Result.Result<Option.Option<LiteralAgent>, CommandRefused>
  /** The agent command that a launch of that session was made with. */
  readonly ofLaunch: (command: Pick<AgentCommand, "args" | "program">, sessionId: string) => Option.Option<AgentProgram>
}
