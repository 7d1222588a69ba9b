import { defectOf } from "@souffleur/domain"
import { type Cause, Runtime, Schema } from "effect"

/** Bad usage or bad input, said by the command line itself (exit code 2). */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * EX_SOFTWARE of sysexits.h: what is wrong is souffleur itself. Whoever guards it, or the service manager, starts it
 * again.
 */
export const defectCode = 70

/** A defect in one sentence, without a word of others. */
export const defective = (cause: Cause.Cause<unknown>): string =>
  `it has a defect of its own and cannot go on (${defectOf(cause)}). What was acknowledged is in its log; SOUFFLEUR_DEBUG=1 tells more`

/**
 * How a command ends when it does not end well: already told to the user, and its exit code (spec:
 * command-line#exit-codes).
 */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return `souffleur ends with exit code ${this.code}`
  }
}
