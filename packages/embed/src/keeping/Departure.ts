import { Context, Effect } from "effect"

/** Succeeds when a signal asks this process to leave. Never succeeds where no handler listens to signals. */
export const Departure = Context.Reference<Effect.Effect<void>>("@souffleur/embed/Departure", {
  defaultValue: () => Effect.never
})
