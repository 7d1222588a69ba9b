import { defectOf } from "@souffleur/domain"
import { Cause } from "effect"
import { printing } from "./Printing.ts"

/**
 * The exit code of a defect: EX_SOFTWARE of sysexits.h. A guardian or the service manager starts souffleur again after
 * it.
 */
export const defectCode = 70

/** Describes a defect in one sentence, without its own message. */
export const defective = (cause: Cause.Cause<unknown>): string =>
  `it cannot go on because of a bug (${defectOf(cause)}). What was acknowledged is in its log; SOUFFLEUR_DEBUG=1 prints the stack`

/** True while a person debugs souffleur itself. */
export const debugging = (process.env["SOUFFLEUR_DEBUG"] ?? "") !== ""

/** Tells an error that no fiber caught in one sentence, and ends the process. */
export const uncaught = (error: unknown): never => {
  const cause = Cause.die(error)
  const own = printing(false)
  own.error(`souffleur: ${defective(cause)}`)
  if (debugging) for (const line of Cause.pretty(cause).split("\n")) own.error(line)
  process.exit(defectCode)
}
