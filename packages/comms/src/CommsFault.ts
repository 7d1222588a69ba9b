import { CommsUnavailable } from "@souffleur/domain"
import { type SqliteUnusable } from "@souffleur/eventlog"
import { type PlatformError, Predicate } from "effect"
import type { SqlError } from "effect/sql"

type Reason = CommsUnavailable["reason"]

/** Primary result codes of SQLite for a file that is no sound database: https://sqlite.org/rescode.html. */
const CORRUPT = 11
const NOT_A_DATABASE = 26

const codeOf = (cause: unknown): number | undefined => {
  const code = Predicate.hasProperty(cause, "errcode")
    ? cause.errcode
    : Predicate.hasProperty(cause, "errno")
      ? cause.errno
      : undefined
  return typeof code === "number" ? code & 0xff : undefined
}

const sqlReason = ({ reason }: SqlError.SqlError): Reason => {
  if (reason._tag === "LockTimeoutError") return "locked"
  if (reason._tag === "ConstraintError" || reason._tag === "UniqueViolation") return "schema"
  const code = codeOf(reason.cause)
  if (code === NOT_A_DATABASE || code === CORRUPT) return "foreign"
  return "failed"
}

const openReason: Record<SqliteUnusable["reason"], Reason> = {
  missing: "missing",
  foreign: "foreign",
  damaged: "foreign",
  newer: "foreign",
  locked: "locked",
  full: "failed",
  failed: "failed"
}

/**
 * Turns an error about the file at `path` into the port's error. SQLite's messages name tables, columns and
 * constraints, but never a bound value. So no text of a message gets into an error.
 */
export const commsFault =
  (path: string) =>
  (fault: SqlError.SqlError | SqliteUnusable | PlatformError.PlatformError | CommsUnavailable): CommsUnavailable => {
    switch (fault._tag) {
      case "CommsUnavailable":
        return fault
      case "SqliteUnusable":
        return new CommsUnavailable({ path, reason: openReason[fault.reason], problem: fault.message })
      case "SqlError": {
        // The words of the error itself say only that a statement failed.
        const { cause } = fault.reason
        const problem = Predicate.isError(cause) ? cause.message : fault.message
        return new CommsUnavailable({ path, reason: sqlReason(fault), problem })
      }
      case "PlatformError":
        return new CommsUnavailable({
          path,
          reason: fault.reason._tag === "NotFound" ? "missing" : "failed",
          problem: fault.reason._tag
        })
    }
  }
