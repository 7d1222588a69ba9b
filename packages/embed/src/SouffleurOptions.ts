import type {
  Claims,
  Comms,
  FleetWordIntent,
  Launcher,
  Permission,
  Processes,
  ResolvedSettings,
  SettingFlags,
  Target,
  Variables,
  Zone
} from "@souffleur/domain"
import type { RoleAgents, Run } from "@souffleur/plan"
import type { AgentPackage } from "@souffleur/process"
import type { Restoration, Roles, World } from "@souffleur/supervisor"
import type { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Revival } from "./keeping/GuardianKeeper.ts"
import type { WatchName } from "./watching/FindWatch.ts"
import type { CommandLine, NoticesOf } from "./world/Installation.ts"

/** A point in the life of a watch or a run: its revision, or the time in epoch ms. */
export type Point = { readonly revision: number } | { readonly time: number }

/** A revision. Events after it are meant; all of them by default. */
export interface After {
  readonly after: number
}

/** The events after a revision, up to another one. Without `upTo`: up to the newest. */
export interface RevisionRange extends After {
  readonly upTo?: number
}

/** Which decision is explained, and by which clock. */
export interface WhyOptions {
  /** The last decision at or before this revision. Absent: at or before the newest. */
  readonly revision?: number | undefined
  /** The zone of the times. Absent: UTC. */
  readonly zone?: Zone
}

/** The options of each watch. */
export interface KeepOptions {
  /**
   * The command that a second small process runs to bring this one back. Absent: there is no guardian. Refused with
   * `NoGuardian` where the log is not the file of the state folder.
   */
  readonly guardian?: Revival
}

/** The words of a person with a retry. */
export interface RetryOptions {
  /** No launch of the watch is above it from now on. */
  readonly ceiling?: Permission | undefined
  /** The program of another agent, which goes on with the conversation. */
  readonly agent?: string | undefined
}

/** The options of a watch that goes on. */
export interface ResumeOptions extends KeepOptions {
  /**
   * The word of a guardian, by `parseRestoration` of what it appended to its line. The watch is then taken from its
   * owner, which died or fell silent. Fails with `NotRestored` where that is not needed, or was tried too often.
   */
  readonly restored?: Restoration
}

/** A Conductor that runs already. */
export interface WatchOptions extends Target, KeepOptions {
  /** The folder of the agent's work, absolute. */
  readonly project: string
  /**
   * The comms database, absolute. `null`: none. Absent: that of the watch that goes on, else `comms.db` of the project,
   * where there is one.
   */
  readonly comms?: string | null
  /** Decides and logs, and never kills or launches; `false` by default. */
  readonly observe?: boolean
  /** The process is the Conductor, though evidence says that it is another; `false` by default. */
  readonly force?: boolean
}

/** A command to start and to watch. */
export interface RunOptions extends KeepOptions {
  /** The folder to run in, absolute. */
  readonly project: string
  /**
   * The program and its arguments. An agent is recovered with its conversation, any other command is run again. A
   * program is found in `PATH`, or by its absolute path. A relative one begins at the folder of this process.
   */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** A command that is no agent gets a terminal of its own: a window where there is one. `false` by default. */
  readonly terminal?: boolean
}

/** A command to run, a Conductor to watch, or a watch to go on with. */
export type WatchOrder = Omit<RunOptions, "guardian"> | Omit<WatchOptions, "guardian"> | { readonly watch: WatchName }

/** The process that is to look after a watch in place of this one. */
export interface DetachOptions {
  /**
   * Returns the command of that process, which has a minute to `resume` the watch of this id. It runs in the folder of
   * the watch, without the variables of an agent's session.
   */
  readonly line: (id: string) => CommandLine
}

/** A plan to conduct. */
export interface ConductOptions {
  /** The folder of the work, absolute, in a git work tree. */
  readonly project: string
  /** The file of the plan, YAML or Markdown with front matter: absolute, or from the project. */
  readonly plan: string
  /** The state file, absolute; `state.json` of the project by default. */
  readonly state?: string
  /**
   * The highest permission of its agents, under the ceiling of the settings. By default a run that goes on keeps its
   * own, and a new one has the lowest.
   */
  readonly permission?: Permission
  /**
   * The agents of the roles, in place of the configured one: the names of their programs, such as `pi`. A run that goes
   * on keeps those that are not named.
   */
  readonly agents?: RoleAgents
  /** How long an agent may take, as the settings are written, such as `60 minutes`. */
  readonly limits?: Pick<SettingFlags, "implementerTimeout" | "reviewerTimeout">
  /**
   * Is told what the run needs of a person, a line each. The run then waits for that. Absent: it ends there,
   * unfinished.
   */
  readonly waiting?: (needs: ReadonlyArray<string>, run: Run) => Effect.Effect<void>
}

/** A plan to conduct, or to look at before. */
export type PlanOrder = Omit<ConductOptions, "waiting">

/** A word that a person said at the hub of a fleet, with the id of its watch. */
export interface FleetWordOrder extends Omit<FleetWordIntent, "ceilings"> {
  readonly watch: string
}

/** A person's answer to a task that is escalated, or to the finishing step that failed. */
export type RunAnswer =
  | { readonly task: string; readonly guidance: string }
  | { readonly task: string; readonly answer: "retry" | "skip" }
  | { readonly finishing: "retry" | "skip" }

/** souffleur on Node. */
export interface NodeOptions<E = never> {
  /** The folder of the log, the launches and the exports, absolute. It is made, for its user alone. */
  readonly stateDir: string
  /** The kind of agent; the one of the command line by default. */
  readonly agent?: AgentPackage
  /** The environment of settings and agents; that of this process by default. */
  readonly environment?: Variables
  /** Settings that outrank the environment and every config file. */
  readonly settings?: Partial<Omit<ResolvedSettings, "stateDir" | "source" | "warnings">>
  /**
   * The database of the log, of SQLite; `souffleur.db` in the state folder by default. It is brought to the schema of
   * the log. A guardian reads the file in the state folder, so a watch with one is refused with another database.
   */
  readonly sql?: Layer.Layer<SqlClient.SqlClient, E>
  /** The processes of the host; all of them by default. */
  readonly processes?: Layer.Layer<Processes, E>
  /** The claims, which every souffleur of this user shares; files in a folder of the user by default. */
  readonly claims?: Layer.Layer<Claims, E>
  /** Starts agents and commands; in a terminal around the program, or without one, by default. */
  readonly launcher?: (settings: ResolvedSettings) => Layer.Layer<Launcher>
  /** Opens a comms database for a watch; in a process of its own by default. A run has no comms then. */
  readonly comms?: (path: string) => Layer.Layer<Comms>
  /** The channels of notices for the settings of a project; those of its `NOTIFY` by default. */
  readonly notices?: NoticesOf
  /** The roles with their providers of recovery, such as `Roles.layerWith([...])`; the standard ones by default. */
  readonly roles?: Layer.Layer<Roles, never, World>
}
