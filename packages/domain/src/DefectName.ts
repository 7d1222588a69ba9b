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

/** Returns the code of an error of the system, such as `ENOSPC` (errno(3)). */
const codeOf = (error: Error): string =>
  "code" in error && /^E[A-Z0-9]{1,20}$/u.test(String(error.code)) ? ` ${error.code}` : ""

/**
 * Names an error that was thrown in a few words for a log and a terminal. It gives the error's kind, the system's code,
 * and its place. It never gives the message, which may hold a word of a conversation.
 */
export const defectName = (error: unknown): string => {
  const kind =
    typeof error === "object" && error !== null && "_tag" in error
      ? error._tag
      : error instanceof Error
        ? error.name
        : typeof error
  return `${String(kind)
    .replaceAll(/[^\w.]/gu, "")
    .slice(0, 60)}${error instanceof Error ? codeOf(error) + placeOf(error) : ""}`
}
