import { Context, type Effect } from "effect"

/**
 * How far comms has been told of a watch. The outbox is the log itself and this mark on it (spec §5): what could not be
 * written yet is every event after the mark.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** The revision up to which comms knows; 0 at first. */
    readonly told: (watch: string) => Effect.Effect<number>
    /** Never moves backwards. */
    readonly tell: (watch: string, revision: number) => Effect.Effect<void>
  }
>()("@souffleur/domain/Outbox") {}
