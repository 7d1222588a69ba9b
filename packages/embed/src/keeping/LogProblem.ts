import { defectOf } from "@souffleur/domain"
import { LogUnusable, UnreadableEvent } from "@souffleur/eventlog"
import { Cause, Option } from "effect"

/** Describes a defect without its own message. */
const defective = (cause: Cause.Cause<unknown>): string =>
  `a bug (${defectOf(cause)}). Its log has all that was acknowledged`

/**
 * Returns what a watch's or a run's own log cannot say: that the log is out, or a defect. `undefined` for an
 * interruption, or where another souffleur has it.
 */
export const logProblem = (cause: Cause.Cause<Error>): string | undefined => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return Cause.hasDies(cause) ? defective(cause) : undefined
  return error instanceof LogUnusable || error instanceof UnreadableEvent ? error.message : undefined
}
