import { Context, type Effect, Schema } from "effect"

/**
 * The errand came to nothing. `silent`: it took too long, or has just done so, and its process is ended. `ended`: there
 * is no process for it.
 */
export class ErrandFailed extends Schema.TaggedError<ErrandFailed>()("ErrandFailed", {
  reason: Schema.Literals(["silent", "ended"]),
  message: Schema.String
}) {}

/**
 * A second process of ours, for what belongs to others and may hold up whoever touches it: it can be ended, as a fiber
 * in a call cannot.
 */
export class Errands extends Context.Service<
  Errands,
  {
    /**
     * One line, answered by one line; one at a time, in bounded time. What it is about is asked nothing for a while
     * after it took too long. Interrupted, its process is ended.
     */
    readonly ask: (about: string, line: string) => Effect.Effect<string, ErrandFailed>
  }
>()("@souffleur/domain/Errands") {}
