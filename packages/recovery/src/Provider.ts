import type { Agent, Comms, Hooks, Launcher, Processes, Settings, Watch, WatchIntent } from "@souffleur/domain"
import type { LogError, Offspring, Refused } from "@souffleur/eventlog"
import type { TrustedFiles } from "@souffleur/process"
import { type Effect, type FileSystem, type Path, Schema } from "effect"
import type { Request } from "./steps/Request.ts"
import type { Cycle } from "./steps/Step.ts"

/** This provider does not work in this cycle; the next provider may (spec: behaviour#providers). */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  stage: Schema.String,
  message: Schema.String,
  /** True if the next provider skips its stop, and only that. */
  alreadyKilled: Schema.Boolean
}) {}

/** No launch may follow in this cycle. */
export class FailedClosed extends Schema.TaggedError<FailedClosed>()("FailedClosed", {
  stage: Schema.String,
  message: Schema.String
}) {}

/** The task is complete after all: nothing is stopped or launched any more. */
export class Completed extends Schema.TaggedError<Completed>()("Completed", {}) {
  override get message(): string {
    return "the task is complete: nothing is stopped or launched any more"
  }
}

/** A successor that runs, or ran: the next generation. */
export type Successor = Omit<Extract<WatchIntent, { readonly _tag: "Relaunched" }>, "_tag" | "cycle" | "provider">

/** A launch that a provider would make. */
export type ForeseenLaunch =
  | {
      readonly _tag: "Agent"
      /** The session of the Conductor, or another one. */
      readonly session: "same" | "fresh"
      readonly prompt: string
      /** A file that the agent may read without a question; absolute. */
      readonly reads?: string
    }
  /** The first launch again. */
  | { readonly _tag: "Again" }

/** The places and words that a launch would have. */
export interface Foresight {
  /** The path of the export that would be made, absolute. */
  readonly exported: string
  /** See `Agent.compactPrompt`. */
  readonly compactPrompt: string | null
}

/** The input of a provider. */
export interface Entry {
  /** An earlier provider stopped the Conductor: skip the stop, and only that. */
  readonly alreadyKilled: boolean
  readonly request: Request
}

/** Lists the services that the steps of this package need. */
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
 * One way to bring a Conductor back (spec: behaviour#providers). It reads from top to bottom, like its numbered steps
 * there.
 */
export interface Provider<R> {
  readonly name: string
  /** The kind of Conductor that it can bring back; an agent by default. */
  readonly of?: Watch["kind"]
  /** Returns whether the provider applies to this cycle, under these settings. By default it applies to every cycle. */
  readonly applies?: (watch: Watch, settings: Settings["Service"]) => boolean
  /** Says what it would launch in this cycle, in order, and does nothing. Absent: only the cycle itself can say. */
  readonly foresee?: (watch: Watch, sight: Foresight) => ReadonlyArray<ForeseenLaunch>
  readonly recover: (
    watch: Watch,
    entry: Entry
  ) => Effect.Effect<Successor, Escalated | FailedClosed | Completed | Refused | LogError, R | Cycle>
}
