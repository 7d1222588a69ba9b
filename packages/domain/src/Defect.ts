import { Cause, Effect, Exit, Predicate } from "effect"

/**
 * Returns the innermost place of souffleur's own in a stack, as `name (file:line:column)` without its folder. The
 * message of the error is not read.
 */
const placeOf = (error: Error): string => {
  const stack = (error.stack ?? "").slice(0, 10_000)
  // The message may hold words of others that look like a place.
  const message = stack.indexOf(error.message)
  const frames = message === -1 ? stack : stack.slice(message + error.message.length)
  const [, file] = /^ {4}at [^\n]*?([\w.-]{1,60}:\d{1,9}:\d{1,9})\)?$/mu.exec(frames) ?? []
  return file === undefined ? "" : ` at ${file}`
}

/**
 * Names a defect in a few words for a log and a terminal: the kind of the error, and its place. It never gives the
 * message, which may hold a word of a conversation.
 */
export const defectOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const kind = Predicate.hasProperty(error, "_tag") ? error._tag : Predicate.isError(error) ? error.name : typeof error
  return `${String(kind)
    .replaceAll(/[^\w.]/gu, "")
    .slice(0, 60)}${Predicate.isError(error) ? placeOf(error) : ""}`
}

/** Logs the cause itself at debug level, line by line. It may hold anything, so it is shown only on request. */
export const debugDefect = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(Cause.pretty(cause).split("\n"), (line) => Effect.logDebug(line), { discard: true })

/** Logs one sentence about a defect, and the cause at debug level. */
export const tellDefect = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  yield* Effect.logError(`${what}: a defect of souffleur's own (${defectOf(cause)})`)
  yield* debugDefect(cause)
})

/**
 * Whether an end is intended: a result, a person's signal, or a refusal that another start would meet again. A defect
 * is not intended, nor is a log that cannot be used. The guardian then brings this souffleur back.
 */
export const isMeant = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return true
  if (Cause.hasDies(exit.cause)) return false
  const error = Cause.squash(exit.cause)
  return !Predicate.hasProperty(error, "_tag") || (error._tag !== "LogUnusable" && error._tag !== "UnreadableEvent")
}
