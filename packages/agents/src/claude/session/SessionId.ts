/**
 * Returns whether a text can be a session id, or the beginning of one (spec: behaviour#naming-a-conductor). The id
 * becomes part of a file name and an argument, so it has only letters, digits, `-`, `_` and `.`, no `..`, and at most
 * 128 characters. It begins with a letter or digit, so that it is never read as a flag.
 */
export const isSessionId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text) && !text.includes("..")
