import type {
  AtLimit,
  Claims,
  CommandRefused,
  Comms,
  FleetWordIntent,
  GivenSettings,
  Labels,
  Launcher,
  Permission,
  Processes,
  ResolvedSettings,
  Target,
  Variables,
  Zone
} from "@souffleur/domain"
import type { RoleAgents, Run } from "@souffleur/plan"
import type { AgentPackage } from "@souffleur/process"
import type { Restoration, Roles, World } from "@souffleur/supervisor"
import type { Duration, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Revival } from "./keeping/GuardianKeeper.ts"
import type { WatchName } from "./watching/FindWatch.ts"
import type { CommandLine, NoticesOf } from "./world/Installation.ts"

/** A moment in the life of a watch or a run, by its revision or by the time in epoch ms. */
export type Point = { readonly revision: number } | { readonly time: number }

/** Selects the events after a revision. By default all are meant. */
export interface After {
  readonly after: number
}

/** Selects the events after a revision, up to another one or to the newest. */
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

/** The options that every watch takes. */
export interface KeepOptions {
  /**
   * The command that a second small process runs to bring this one back. If absent, there is no guardian. Refused with
   * `NoGuardian` if the log is not the file of the state folder.
   */
  readonly guardian?: Revival
}

/** What a person says with a retry. */
export interface RetryOptions {
  /** The highest permission of every launch of the watch from now on. */
  readonly ceiling?: Permission | undefined
  /** The program of another agent, which takes the conversation over. */
  readonly agent?: string | undefined
  /** `true`: from now on no launch of the watch gets a window. Each later retry says it anew. */
  readonly headless?: boolean | undefined
  /** `true`: an agent asks, and may renew no use. */
  readonly byAgent?: boolean | undefined
}

/** The options of a watch that is resumed. */
export interface ResumeOptions extends KeepOptions {
  /**
   * A guardian's word, which `parseRestoration` reads from what the guardian appended to its line. The watch is then
   * taken from its owner, which died or fell silent. Fails with `NotRestored` if that is not needed, or was tried too
   * often.
   */
  readonly restored?: Restoration
}

/** A Conductor that runs already. */
export interface WatchOptions extends Target, KeepOptions {
  /** The folder of the agent's work, absolute. */
  readonly project: string
  /**
   * The comms database, absolute, or `null` for none. Defaults to the resumed watch's database, then to the project's
   * `comms.db` if it exists.
   */
  readonly comms?: string | null
  /** True to decide and log, but never kill or launch. Defaults to `false`. */
  readonly observe?: boolean
  /** True to take the process for the Conductor, although evidence says that it is another. Defaults to `false`. */
  readonly force?: boolean
}

/** What a job may use over all its generations (spec: behaviour#limits-of-a-job). */
export interface RunLimits {
  /** How long it may go on by the clock, pauses and waits included. */
  readonly time?: Duration.Input | undefined
  /** Tokens, as `MAX_TOKENS` counts them. */
  readonly tokens?: number | undefined
  /** US dollars by the agent's own count. Refused with `CommandRefused` of an agent that records none. */
  readonly dollars?: number | undefined
  /**
   * `stop`: the agent is ended with all that it started, and its watch. `withhold`: it works on, and nothing is
   * launched any more. Defaults to `stop`.
   */
  readonly then?: AtLimit | undefined
}

/** A command to start and to watch. */
export interface RunOptions extends KeepOptions {
  /** The folder to run in, absolute. */
  readonly project: string
  /**
   * The program and its arguments. An agent is recovered with its conversation; any other command is run again. The
   * program is one of `PATH`, an absolute path, or a path from `project`.
   */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /**
   * True to give a command that is no agent a terminal of its own, in a window if there is one. Defaults to `false`.
   */
  readonly terminal?: boolean
  /** True to start beside an agent of the folder that nobody watches. Absent: refused with `CommandRefused`. */
  readonly force?: boolean
  /**
   * Reads the prompt of an agent in print mode, where its command has none: such as standard input. Absent: a command
   * without a prompt is refused.
   */
  readonly input?: Effect.Effect<string, CommandRefused>
  /**
   * The program that says by exit code 0 that the work of an agent is done, and its arguments. No shell reads them.
   * Where it says otherwise, the agent goes on. Absent: `UNTIL` of the settings.
   */
  readonly until?: readonly [string, ...ReadonlyArray<string>] | undefined
  /** How often in a row the work may be found undone without progress before a person is asked. Absent: `ROUNDS`. */
  readonly rounds?: number | undefined
  /** What the job may use. Each kind that is absent is as the settings say, which withhold. */
  readonly limits?: RunLimits | undefined
  /**
   * The id of the watch: 100 letters, digits and `-` at most. The same id is the same watch, also once it has ended:
   * nothing is started again. Refused with `OpenedOtherwise` of another command or folder. Absent: one is drawn.
   */
  readonly id?: string | undefined
  /** What the job is called in every list. Absent: its program and its first words, where its launch file is. */
  readonly title?: string | undefined
  /** Names and values by which the caller finds its jobs again. They are in the log. */
  readonly labels?: Labels | undefined
  /**
   * The permission of the agent, which no generation exceeds, whatever the config file says later. Refused with
   * `CommandRefused` above the ceiling, below what the command itself asks for, and of a plain command.
   */
  readonly permission?: Permission | undefined
  /**
   * Variables of each launch of the job, besides what the settings pass on. Their values are in its first launch file
   * alone, and without that file nothing is launched any more.
   */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** A command to run, a Conductor to watch, or a watch to resume. */
export type WatchOrder = Omit<RunOptions, "guardian"> | Omit<WatchOptions, "guardian"> | { readonly watch: WatchName }

/** The process that is to look after a watch in place of this one. */
export interface DetachOptions {
  /**
   * Returns the command of that process, which has a minute to `resume` the watch with this id. The process runs in the
   * folder of the watch, without the variables of an agent's session.
   */
  readonly line: (id: string) => CommandLine
}

/** A plan to conduct. */
export interface ConductOptions {
  /** The folder of the work, absolute, in a git work tree. */
  readonly project: string
  /** The file of the plan, YAML or Markdown with front matter: absolute, or from the project. */
  readonly plan: string
  /** The state file, absolute. Defaults to `state.json` of the project. */
  readonly state?: string
  /**
   * The highest permission of the run's agents, under the ceiling of the settings. By default a resumed run keeps its
   * own, and a new one has the lowest.
   */
  readonly permission?: Permission
  /**
   * The agents of the roles, by their programs' names such as `pi`, in place of those of the plan or the settings. A
   * resumed run keeps the roles that are not named.
   */
  readonly agents?: RoleAgents
  /** No further task begins from then on, epoch ms. A call without it takes the deadline of the run away. */
  readonly deadline?: number
  /**
   * A task that waits for a person does not stop the others, where each has a work tree of its own. A call without it
   * leaves that to the plan.
   */
  readonly keepsGoing?: true
  /**
   * How many tasks are at work at once, where each has a work tree of its own. A call without it leaves that to the
   * plan.
   */
  readonly parallel?: number
  /** A person's word that the last conductor of the plan's run is gone, where it cannot be seen from here. */
  readonly moved?: boolean
  /** False if nobody is to question a new run's plan, whatever that says. */
  readonly questions?: boolean
  /** True if a person is there, whom questions about the plan wait for. */
  readonly attended?: boolean
  /** True if no person says this, so that a run which a person stopped stays stopped. */
  readonly restored?: boolean
  /** How long an agent may take. */
  readonly limits?: {
    readonly implementerTimeout?: Duration.Input | undefined
    readonly reviewerTimeout?: Duration.Input | undefined
  }
  /**
   * Is told what the run needs of a person, a line each, and the run then waits for that. If absent, the run ends
   * there, unfinished.
   */
  readonly waiting?: (needs: ReadonlyArray<string>, run: Run) => Effect.Effect<void>
}

/** A plan to conduct, or to look at before. */
export type PlanOrder = Omit<ConductOptions, "attended" | "moved" | "waiting">

/** A word that a person said at the hub of a fleet, with the id of its watch. */
export interface FleetWordOrder extends Omit<FleetWordIntent, "ceilings"> {
  readonly watch: string
}

/** A person's answer to a task that is escalated, to the finishing step that failed, or to a plan that has changed. */
export type PlanAnswer =
  | { readonly task: string; readonly guidance: string }
  | { readonly task: string; readonly answer: "retry" | "skip" }
  /** The task is left out, and its rejected commits are taken back. */
  | { readonly task: string; readonly answer: "skip"; readonly revert: true }
  /** A complete task is done again, by these words too. */
  | { readonly redo: string; readonly guidance?: string }
  /** Nothing further begins, until `wait: "over"`. */
  | { readonly hold: "until go" }
  | { readonly finishing: "retry" | "skip" }
  | { readonly plan: "as it is" }
  | { readonly wait: "over" }
  | { readonly allow: "as much again" | "red" }

/** How a run of a plan is stopped. */
export interface StopPlanOptions {
  /** True to end its agent at once. Absent: the agent at work goes on to its end. */
  readonly now?: boolean
  /** Why, in the person's own words, for the log. */
  readonly reason?: string | undefined
}

/** souffleur on Node. */
export interface NodeOptions<E = never> {
  /** The folder of the log, the launches and the exports, absolute. It is made if missing, for its user alone. */
  readonly stateDir: string
  /** The kind of agent. Defaults to the agent that souffleur was made for. */
  readonly agent?: AgentPackage
  /** The environment of settings and agents. Defaults to this process's own. */
  readonly environment?: Variables
  /** Settings that outrank the environment and every config file. */
  readonly settings?: GivenSettings
  /**
   * The app's own SQLite database, in which the log gets tables beside those of the app. Defaults to `souffleur.db` in
   * the state folder. A guardian reads only that file, so a watch with a guardian is refused on another database. The
   * layer fails with `LogUnusable` where the dialect is another.
   */
  readonly sql?: Layer.Layer<SqlClient.SqlClient, E>
  /** What the names of the log's tables in `sql` begin with. Defaults to `souffleur_`. */
  readonly tablePrefix?: string
  /** The processes of the host. Defaults to all of them. */
  readonly processes?: Layer.Layer<Processes, E>
  /** The claims, which every souffleur of this user shares. Default to files in a folder of the user. */
  readonly claims?: Layer.Layer<Claims, E>
  /** Starts agents and commands. By default in a terminal around the program, or without one. */
  readonly launcher?: (settings: ResolvedSettings) => Layer.Layer<Launcher>
  /** Opens a comms database for a watch. By default a process of its own does. With this option a run has no comms. */
  readonly comms?: (path: string) => Layer.Layer<Comms>
  /** The channels of notices for the settings of a project. Default to those that its `NOTIFY` names. */
  readonly notices?: NoticesOf
  /** The roles with their providers of recovery, such as `Roles.layerWith([...])`. Default to the standard ones. */
  readonly roles?: Layer.Layer<Roles, never, World>
}
