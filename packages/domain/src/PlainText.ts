/**
 * What a terminal obeys, or what puts words in another order than they stand in: controls (C0, DEL, C1), the breaks of
 * lines and paragraphs, the marks and the embeddings of the bidirectional algorithm (Unicode, UAX #9), and halves of a
 * pair of surrogates.
 */
const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

const shown = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * Words of others as they may stand on a terminal, on one line: what it would obey is shown, as JSON writes it
 * (`\u001b`), and what is longer than `most` UTF-16 units is cut. Of a text that is JSON it makes the same JSON. Plain
 * text stays as it is.
 */
export const plain = (text: string, most = Number.POSITIVE_INFINITY): string =>
  (text.length > most ? `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "")}…` : text).replaceAll(obeyed, shown)
