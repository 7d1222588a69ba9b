import { defectOf } from "@souffleur/domain"
import { type Cause, Runtime, Schema } from "effect"

/** Bad usage or bad input. `message` is the sentence for the user. Exit code 2. */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/**
 * The exit code of a defect: EX_SOFTWARE of sysexits.h. A guardian or the service manager starts souffleur again after
 * it.
 */
export const defectCode = 70

/** Describes a defect in one sentence, without its own message. */
export const defective = (cause: Cause.Cause<unknown>): string =>
  `it has a defect of its own and cannot go on (${defectOf(cause)}). What was acknowledged is in its log; SOUFFLEUR_DEBUG=1 tells more`

/** A command ends with this exit code, and the user has been told (spec: command-line#exit-codes). */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return `souffleur ends with exit code ${this.code}`
  }
}
