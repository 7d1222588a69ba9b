import type { Agent, Comms, Hooks, Launcher, Processes, Settings, Watch, WatchIntent } from "@souffleur/domain"
import type { LogError, Offspring, Refused } from "@souffleur/eventlog"
import type { TrustedFiles } from "@souffleur/process"
import { type Effect, type FileSystem, type Path, Schema } from "effect"
import type { Request } from "./steps/Request.ts"
import type { Cycle } from "./steps/Step.ts"

/** This provider does not work in this cycle, and leaves it to the next (spec: behaviour#providers). */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  stage: Schema.String,
  message: Schema.String,
  /** True if the provider has stopped the Conductor, so that the next one skips its stop, and nothing else. */
  alreadyKilled: Schema.Boolean
}) {}

/** No launch may follow in this cycle. */
export class FailedClosed extends Schema.TaggedError<FailedClosed>()("FailedClosed", {
  stage: Schema.String,
  message: Schema.String
}) {}

/** The task turned out to be complete, so nothing is stopped or launched any more. */
export class Completed extends Schema.TaggedError<Completed>()("Completed", {}) {
  override get message(): string {
    return "the task is complete: nothing is stopped or launched any more"
  }
}

/** A successor that runs or ran: the next generation. */
export type Successor = Omit<Extract<WatchIntent, { readonly _tag: "Relaunched" }>, "_tag" | "cycle" | "provider">

/** A launch that a provider would make. */
export type ForeseenLaunch =
  | {
      readonly _tag: "Agent"
      /** Whether the launch resumes the Conductor's session or begins another. */
      readonly session: "same" | "fresh"
      readonly prompt: string
      /** A file that the agent may read without a question; absolute. */
      readonly reads?: string
    }
  /** The first launch again. */
  | { readonly _tag: "Again" }

/** What a foreseen launch needs to know of paths and words. */
export interface Foresight {
  /** The path of the export that would be made, absolute. */
  readonly exported: string
  /** See `Agent.compactPrompt`. */
  readonly compactPrompt: string | null
}

/** What a provider is given. */
export interface Entry {
  /** True if an earlier provider has stopped the Conductor: skip the stop, and nothing else. */
  readonly alreadyKilled: boolean
  readonly request: Request
}

/** The services that the steps of this package need. */
export type StepServices =
  | Agent
  | Comms
  | FileSystem.FileSystem
  | Hooks
  | Launcher
  | Offspring
  | Path.Path
  | Processes
  | Settings
  | TrustedFiles

/**
 * One way to bring a Conductor back (spec: behaviour#providers). Written to be read from top to bottom, like its
 * numbered steps there.
 */
export interface Provider<R> {
  readonly name: string
  /** The kind of Conductor that it can bring back. Defaults to an agent. */
  readonly of?: Watch["kind"]
  /** Returns whether the provider applies to this cycle, under these settings. By default it applies to every cycle. */
  readonly applies?: (watch: Watch, settings: Settings["Service"]) => boolean
  /**
   * Says what it would launch in this cycle, in order, without doing anything. If absent, only the cycle itself can
   * tell.
   */
  readonly foresee?: (watch: Watch, sight: Foresight) => ReadonlyArray<ForeseenLaunch>
  readonly recover: (
    watch: Watch,
    entry: Entry
  ) => Effect.Effect<Successor, Escalated | FailedClosed | Completed | Refused | LogError, R | Cycle>
}
