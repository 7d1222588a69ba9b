import { LogUnusable } from "@souffleur/eventlog"
import { fullDisk, meansFull } from "@souffleur/node"
import { type PlatformError, Runtime, Schema } from "effect"

/** Bad usage or bad input. `message` is the sentence for the user. Exit code 2. */
export class BadUsage extends Schema.TaggedError<BadUsage>()("BadUsage", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** A disk is full. Exit code 4. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", { what: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 4
  override get message(): string {
    return `${this.what} cannot be written: ${fullDisk}`
  }
}

/** Returns `DiskFull` for an error of the file system that means it, and else the same error. */
export const ofFullDisk = (error: PlatformError.PlatformError): DiskFull | PlatformError.PlatformError => {
  const { reason } = error
  if (reason._tag === "BadArgument" || !meansFull(reason.cause)) return error
  // An open file has a number in place of its path.
  const file = reason.pathOrDescriptor
  return new DiskFull({ what: typeof file === "string" ? file : "a file" })
}

/** Returns the sentence of an error, and the command that mends it: the command line opens souffleur's own file. */
export const sentenceOf = (error: Error): string =>
  error instanceof LogUnusable && (error.reason === "damaged" || error.reason === "foreign")
    ? `${error.message}. "souffleur doctor --quarantine" moves it aside and says how to go on`
    : error.message

/** A command ends with this exit code, and the user has been told (spec: command-line#exit-codes). */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { code: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
  override get message(): string {
    return `souffleur ends with exit code ${this.code}`
  }
}
