import { Context, Effect } from "effect"

/** Ends when a signal asks this process to leave; never, where nobody listens to signals. */
export const Departure = Context.Reference<Effect.Effect<void>>("@souffleur/cli/Departure", {
  defaultValue: () => Effect.never
})
