import { Cause, Effect, Exit, Predicate } from "effect"

/**
 * The innermost place of our own in a stack, as `name (file:line:column)` without its folder. What the error says is
 * not looked at.
 */
const placeOf = (error: Error): string => {
  const stack = (error.stack ?? "").slice(0, 10_000)
  // Words of others may stand in the message, and look like a place.
  const message = stack.indexOf(error.message)
  const frames = message === -1 ? stack : stack.slice(message + error.message.length)
  const [, file] = /^ {4}at [^\n]*?([\w.-]{1,60}:\d{1,9}:\d{1,9})\)?$/mu.exec(frames) ?? []
  return file === undefined ? "" : ` at ${file}`
}

/**
 * A defect in a few words that can stand in a log and on a terminal: what kind of error it is, and where. Never its
 * message, which may hold a word of a conversation.
 */
export const defectOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const kind = Predicate.hasProperty(error, "_tag") ? error._tag : Predicate.isError(error) ? error.name : typeof error
  return `${String(kind)
    .replaceAll(/[^\w.]/gu, "")
    .slice(0, 60)}${Predicate.isError(error) ? placeOf(error) : ""}`
}

/** The cause itself, which may hold anything, line by line: only where somebody looks for it. */
export const debugDefect = (cause: Cause.Cause<unknown>) =>
  Effect.forEach(Cause.pretty(cause).split("\n"), (line) => Effect.logDebug(line), { discard: true })

/** One sentence on the program's own log. */
export const tellDefect = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  yield* Effect.logError(`${what}: a defect of souffleur's own (${defectOf(cause)})`)
  yield* debugDefect(cause)
})

/**
 * Whether an end is one that somebody meant: a result, a person's signal, or a refusal that another start would meet
 * again. A defect, or a log that cannot be used, is none: it is no goodbye, and whoever guards this souffleur brings it
 * back.
 */
export const isMeant = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return true
  if (Cause.hasDies(exit.cause)) return false
  const error = Cause.squash(exit.cause)
  return !Predicate.hasProperty(error, "_tag") || (error._tag !== "LogUnusable" && error._tag !== "UnreadableEvent")
}
