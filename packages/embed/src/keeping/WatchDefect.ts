import { Runtime, Schema } from "effect"

/**
 * A defect of souffleur's own has ended the keeping of one watch. The other watches of the process go on, and the agent
 * works on. `message` is a sentence (exit code 70).
 */
export class WatchDefect extends Schema.TaggedError<WatchDefect>()("WatchDefect", {
  watch: Schema.String,
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 70
}
