import { Runtime, Schema } from "effect"

/** Bad usage or bad input. `message` is the sentence for the user. Exit code 2. */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** A command ends with this exit code, and the user has been told (spec: command-line#exit-codes). */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return `souffleur ends with exit code ${this.code}`
  }
}
