import { Context, type Effect, type Option } from "effect"

/** The last sign of life of whoever guards a watch. */
export interface Beat {
  /** The role that beat, such as `watcher/2`. */
  readonly by: string
  /** Epoch milliseconds, wall clock. */
  readonly at: number
}

/**
 * Beats are not transitions: they live in souffleur's own store beside the log (spec §2, Watching). What the watcher
 * writes here is what the self-monitor reads; the row in comms is a mirror.
 */
export class Beats extends Context.Service<
  Beats,
  {
    readonly beat: (watch: string, beat: Beat) => Effect.Effect<void>
    readonly last: (watch: string) => Effect.Effect<Option.Option<Beat>>
  }
>()("@souffleur/domain/Beats") {}
