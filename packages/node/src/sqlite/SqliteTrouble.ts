import { sqliteReasonOf, SqliteUnusable } from "@souffleur/eventlog"
import { Predicate } from "effect"
import { SqlError } from "effect/sql"
import { meansFull } from "../files/SystemError.ts"

type Reason = SqliteUnusable["reason"]
const remedies: Readonly<Record<Reason, string>> = {
  missing: "is it the right path?",
  foreign: "it is left as it is: name another file or move it away",
  damaged: "it is left as it is: move it away, or bring back a copy of it",
  newer: "a newer souffleur made it: use that one",
  locked: "another process holds it: find out which, then try again",
  full: "make room on it, then try again",
  failed: "see that its folder can be written to"
}
/** Makes the error of a file, with what to do about it. */
export const unusable = (path: string, reason: Reason, what: string) =>
  new SqliteUnusable({ path, reason, message: `${path}: ${what} (${remedies[reason]})` })

/** Turns a thrown error of SQLite or of the file system into `SqliteUnusable`. */
export const sqliteTrouble = (path: string) => (thrown: unknown) => {
  const cause = SqlError.isSqlError(thrown) ? thrown.reason.cause : thrown
  const reason = sqliteReasonOf(cause)
  const what = reason === "full" ? "its disk is full" : Predicate.isError(cause) ? cause.message : "it failed"
  return unusable(path, reason, what)
}

/** Turns an error of a file system into `SqliteUnusable`. A full disk is told apart. */
export const fileTrouble =
  (path: string) => (error: { readonly message: string; readonly reason: { readonly cause?: unknown } }) => {
    const full = meansFull(error.reason.cause)
    return unusable(path, full ? "full" : "failed", error.message)
  }
