import { Cause } from "effect"
import { defectCode, defective } from "./Failure.ts"
import { printing } from "./Printing.ts"

/** Whether a person debugs souffleur itself. */
export const debugging = (process.env["SOUFFLEUR_DEBUG"] ?? "") !== ""

/** Tells an error that no fiber caught in one sentence, and ends the process. */
export const uncaught = (error: unknown): never => {
  const cause = Cause.die(error)
  const own = printing(false)
  own.error(`souffleur: ${defective(cause)}`)
  if (debugging) for (const line of Cause.pretty(cause).split("\n")) own.error(line)
  process.exit(defectCode)
}
