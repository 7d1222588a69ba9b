import type { ResolvedSettings, Variables } from "@souffleur/domain"
import type { AgentPackage } from "@souffleur/process"
import { Context, type Effect, Schema } from "effect"

/** A program and its arguments. */
export type CommandLine = readonly [string, ...ReadonlyArray<string>]

/** No guardian can look after a watch here. `message` says why. */
export class NoGuardian extends Schema.TaggedError<NoGuardian>()("NoGuardian", { message: Schema.String }) {}

/** The kind of agent that souffleur looks after, and the words that run souffleur's own processes. */
export class Installation extends Context.Service<
  Installation,
  {
    readonly agent: AgentPackage
    /** The environment: settings are read from it, and agents get the part of it that is on an allow list. */
    readonly variables: Variables
    /** Settings that the program itself gives. They outrank the environment and every config file. */
    readonly values?: Partial<ResolvedSettings>
    /** Becomes an agent. The path of a launch file is appended. */
    readonly launchLine: Effect.Effect<CommandLine>
    /** Guards a watch. The order is appended, as JSON. Fails with `NoGuardian` where it could not read the log. */
    readonly guardianLine: Effect.Effect<CommandLine, NoGuardian>
  }
>()("@souffleur/embed/Installation") {}
