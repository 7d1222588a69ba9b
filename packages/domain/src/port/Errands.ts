import { Context, type Effect, Schema } from "effect"

/**
 * An errand failed. `silent`: it took too long, now or shortly before, and its process was ended. `ended`: it has no
 * process.
 */
export class ErrandFailed extends Schema.TaggedError<ErrandFailed>()("ErrandFailed", {
  reason: Schema.Literals(["silent", "ended"]),
  message: Schema.String
}) {}

/**
 * Runs a second process of souffleur, for files of others that may block their reader. A process can be ended, unlike a
 * fiber in a blocked call.
 */
export class Errands extends Context.Service<
  Errands,
  {
    /**
     * Sends one line, and returns one line, in bounded time. Errands run one at a time. After one took too long, the
     * same subject is asked nothing for a while. An interruption ends the process. Fails with `ErrandFailed`.
     */
    readonly ask: (about: string, line: string) => Effect.Effect<string, ErrandFailed>
  }
>()("@souffleur/domain/Errands") {}
