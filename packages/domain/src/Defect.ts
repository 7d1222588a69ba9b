import { Cause, Effect, Exit, Predicate } from "effect"
import { defectName } from "./DefectName.ts"

/** Names a defect in a few words for a log and a terminal. It gives the kind of the error, and its place. */
export const defectOf = (cause: Cause.Cause<unknown>): string => defectName(Cause.squash(cause))

/** Logs the cause itself at debug level, line by line. It may hold anything, so it is shown only on request. */
export const debugDefect = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(Cause.pretty(cause).split("\n"), (line) => Effect.logDebug(line), { discard: true })

/** Logs one sentence about a defect, and the cause at debug level. */
export const tellDefect = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  yield* Effect.logError(`${what}: a defect of souffleur's own (${defectOf(cause)})`)
  yield* debugDefect(cause)
})

/**
 * Returns whether an end was intended: a result, a person's signal, or a refusal that another start would meet again. A
 * defect is not intended, nor is a log that cannot be used; after those the guardian brings this souffleur back.
 */
export const isMeant = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return true
  if (Cause.hasDies(exit.cause)) return false
  const error = Cause.squash(exit.cause)
  return !Predicate.hasProperty(error, "_tag") || (error._tag !== "LogUnusable" && error._tag !== "UnreadableEvent")
}
