/**
 * Returns a string with one character for each byte of UTF-8. JSON's own characters are ASCII, so such a line parses to
 * byte strings. They are written again without decoding a character, three times as fast as text.
 * It uses `Buffer`, because latin1 of `TextDecoder` is windows-1252.
 */
export const fromBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

/** Returns the bytes of a byte string. */
export const toBytes = (bytes: string): Uint8Array => Buffer.from(bytes, "latin1")

/** Returns the byte string of a text. */
export const fromText = (text: string): string => (isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1"))

/** Returns the text of a byte string. Bytes that are no UTF-8 become U+FFFD. */
export const toText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")

/**
 * Counts the characters of a byte string as a decoder gives them. The decoder is native code. A loop over megabytes is
 * slow in a recovery, whose code is not compiled yet.
 */
export const characterCount = (bytes: string): number => {
  const text = toText(bytes)
  return text.length - (text.match(/[\ud800-\udbff]/g)?.length ?? 0)
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** Returns whether JSON parses to byte strings. A line with an escape beyond ASCII does not, and is read as text. */
export const parsesToBytes = (json: string): boolean => !json.includes("\\u") || !/\\u(?!00[0-7])/.test(json)

/**
 * Returns the nearest index at or before `index` that is not inside a character. Characters are of UTF-8 bytes or of
 * UTF-16 units.
 */
export const characterStart = (text: string, index: number): number => {
  let at = index
  for (let steps = 0; steps < 3 && at > 0; steps++) {
    const unit = text.charCodeAt(at)
    if ((unit >= 0x80 && unit <= 0xbf) || (unit >= 0xdc00 && unit <= 0xdfff)) at -= 1
    else break
  }
  return at
}
