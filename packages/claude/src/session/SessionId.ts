/**
 * What may be the id of a session, whole or its beginning: it becomes part of a file name and an argument of a command
 * line, so it holds letters, digits, `-`, `_`, `.` only, begins with a letter or digit (never read as a flag), has no
 * `..` and at most 128 characters (spec: behaviour#naming-a-conductor).
 */
export const isSessionId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) && !text.includes("..")
