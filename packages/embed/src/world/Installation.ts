import type { Comms, GivenSettings, Launcher, ResolvedSettings, Variables } from "@souffleur/domain"
import type { WhenClicked } from "@souffleur/notify"
import type { AgentPackage, NoticeChannel } from "@souffleur/process"
import { Context, type Effect, type Layer, Schema } from "effect"

/** A program and its arguments. */
export type CommandLine = readonly [string, ...ReadonlyArray<string>]

/** Makes the channels of notices for the settings of a project. */
export type NoticesOf = (settings: ResolvedSettings) => Effect.Effect<ReadonlyArray<NoticeChannel>>

/** No guardian can look after a watch here. `message` says why. */
export class NoGuardian extends Schema.TaggedError<NoGuardian>()("NoGuardian", { message: Schema.String }) {}

/**
 * No other process looks after the watch. It could not be started, or did not come to own the watch. `message` says
 * what to do.
 */
export class NotDetached extends Schema.TaggedError<NotDetached>()("NotDetached", { message: Schema.String }) {}

/** The kind of agent that souffleur looks after, and the words that run souffleur's own processes. */
export class Installation extends Context.Service<
  Installation,
  {
    readonly agent: AgentPackage
    /** The environment: settings are read from it, and agents get the part of it that is on an allow list. */
    readonly variables: Variables
    /** Settings that the program itself gives. They outrank the environment and every config file. */
    readonly values?: GivenSettings
    /** Becomes an agent. The path of a launch file is appended. */
    readonly launchLine: Effect.Effect<CommandLine>
    /** Guards a watch. The order is appended, as JSON. Fails with `NoGuardian` where it could not read the log. */
    readonly guardianLine: Effect.Effect<CommandLine, NoGuardian>
    /** Starts a process that descends from none of souffleur's. The order is appended, as JSON. */
    readonly detachLine: Effect.Effect<CommandLine>
    /** Keeps the sign of a hook: absolute, because a hook runs in any folder. */
    readonly hookLine: Effect.Effect<CommandLine>
    /** Takes a notice to a server. The order is on its standard input. */
    readonly noticeLine: Effect.Effect<CommandLine>
    /** The platform by Node's name. Its desktop shows notices. */
    readonly platform: string
    /** The channels of notices. If absent, `NOTIFY` names them. */
    readonly notices?: NoticesOf
    /** Starts agents and commands; absent: on this host. */
    readonly launcher?: (settings: ResolvedSettings) => Layer.Layer<Launcher>
    /** Opens the comms of a watch; absent: by a process of its own. */
    readonly comms?: (path: string) => Layer.Layer<Comms>
    /** Waits for a click on a notice of the desktop; absent: none has an action. */
    readonly whenClicked?: WhenClicked
  }
>()("@souffleur/embed/Installation") {}
