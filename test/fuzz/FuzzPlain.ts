/**
 * What moves a cursor, colours, renames a window or turns the order of letters round; a newline and a tab are neither.
 */
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u

/** Without anything that a terminal obeys. */
export const isPlain = (text: string): boolean => !control.test(text)
