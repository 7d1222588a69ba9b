import { Result, Runtime, Schema } from "effect"

/** The named Conductor, as a user or a Conductor's reply wrote it (spec: behaviour#naming-a-conductor). */
export interface Target {
  readonly pid: number
  readonly sessionId: string
}

/** A text that names no Conductor. `message` says what to write instead (exit code 2). */
export class BadTarget extends Schema.TaggedError<BadTarget>()("BadTarget", {
  message: Schema.String,
  /** The watch that has the named session. */
  watch: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The id of a session that is not known. Its agent chooses it and has not said it yet, or a plain command has none. */
export const unknownSession = ""

/** Returns whether the id of a session is known. */
export const isSessionKnown = (sessionId: string): boolean => sessionId !== unknownSession

/** No dot, slash, star or leading dash. A match can be part of a file's name, and is never a flag. */
const sessionForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/u

/** Reads a session id that a person typed. Fails with `BadTarget`. */
export const parseSessionId = (text: string): Result.Result<string, BadTarget> =>
  sessionForm.test(text)
    ? Result.succeed(text)
    : Result.fail(
        new BadTarget({
          message: `${JSON.stringify(text.slice(0, 80))} is no session id: letters, digits, "-" and "_" only, such as 8c1d2f60-…`
        })
      )

/**
 * Reads the pid of a user's process. Pid 1 is the machine's. The greatest is 2^22, Linux's own limit (proc(5),
 * pid_max).
 */
export const parsePid = (text: string): Result.Result<number, BadTarget> => {
  const pid = /^[1-9][0-9]{0,6}$/u.test(text) ? Number(text) : 0
  if (pid === 1)
    return Result.fail(new BadTarget({ message: "pid 1 is the machine's first process, never a Conductor" }))
  return pid > 1 && pid <= 4_194_304
    ? Result.succeed(pid)
    : Result.fail(
        new BadTarget({
          message: `${JSON.stringify(text.slice(0, 80))} is no process id: a whole number from 2 to 4194304`
        })
      )
}

/** Reads the literal `PID:123 SESSION_ID:abc`, in either order, anywhere in the text. */
export const parseTarget = (text: string): Result.Result<Target, BadTarget> =>
  Result.gen(function* () {
    const words = text.split(/\s+/u)
    const after = (key: string) => {
      const found = words.filter((word) => word.startsWith(key))
      return found.length === 1
        ? Result.succeed(found[0]!.slice(key.length))
        : Result.fail(new BadTarget({ message: `exactly one ${key}… is needed, as in PID:123 SESSION_ID:8c1d2f60-…` }))
    }
    return { pid: yield* parsePid(yield* after("PID:")), sessionId: yield* parseSessionId(yield* after("SESSION_ID:")) }
  })
