const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Counts Unicode code points (spec: behaviour#estimate). The length of a text counts those above U+FFFF twice. */
export const countCharacters = (text: string): number =>
  text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0)

/**
 * Counts the characters of bytes that begin and end where a character does. Invalid bytes count as WHATWG and Python's
 * `errors="replace"` agree: one U+FFFD for each maximal part of a sequence.
 */
export const charactersIn = (bytes: Uint8Array): number => countCharacters(decoder.decode(bytes))

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80

/**
 * Finds the last position up to `at` where a character begins, valid or not. A sequence is never longer than four
 * bytes.
 */
export const characterStart = (bytes: Uint8Array, at: number): number => {
  for (let back = 0; back <= 3 && back <= at; back++) if (!isContinuation(bytes[at - back]!)) return at - back
  return at
}
