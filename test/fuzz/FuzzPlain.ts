/**
 * Characters that move a cursor, colour, rename a window or turn the order of letters round. A newline and a tab do
 * none of this.
 */
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u

/** Returns whether a text has no character that a terminal obeys. */
export const isPlain = (text: string): boolean => !control.test(text)
