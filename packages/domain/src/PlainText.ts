/**
 * Characters that a terminal obeys, or that change the order of the text. They are controls (C0, DEL, C1), breaks of
 * lines and paragraphs, and lone surrogates. They include the marks and embeddings of the bidirectional algorithm
 * (Unicode, UAX #9).
 */
const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** Each of them as a sign, by its code. There are some two thousand, and a text of a megabyte may hold nothing else. */
const signs = new Map<number, string>()

/** Writes a character, of which this is the UTF-16 code, as in JSON. */
export const signOf = (code: number): string => {
  let sign = signs.get(code)
  if (sign === undefined) signs.set(code, (sign = `\\u${code.toString(16).padStart(4, "0")}`))
  return sign
}

/**
 * Makes a text of others safe for one line of a terminal. Characters that a terminal obeys are written as in JSON
 * (`\u001b`). A text of more than `maxLength` UTF-16 units is cut. A text that is JSON stays the same JSON. Plain text
 * stays as it is.
 */
export const plain = (text: string, maxLength = Number.POSITIVE_INFINITY): string =>
  (text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/u, "")}…` : text).replaceAll(
    obeyed,
    (character) => signOf(character.charCodeAt(0))
  )

/**
 * Writes a text of others as a code span of Markdown, cut as {@link plain} does. No character in one is a form, a tag,
 * a link, a mention or a reference to an issue. Backslashes would not do: the mention of a person is found in the text
 * that is shown.
 */
export const codeSpan = (text: string, maxLength: number): string => {
  const shown = plain(text.trim(), maxLength)
  const longest = (shown.match(/`+/gu) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = "`".repeat(longest + 1)
  if (shown === "") return "—"
  return longest === 0 ? `\`${shown}\`` : `${fence} ${shown} ${fence}`
}
