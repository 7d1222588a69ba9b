/**
 * A string whose every character is one byte of UTF-8. JSON's own characters are ASCII, so a line read this way parses
 * to byte strings, and is written again without a character being decoded: three times as fast as by way of text.
 * `Buffer`, not `TextDecoder`: what the latter calls latin1 is windows-1252.
 */
export const fromBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

export const toBytes = (bytes: string): Uint8Array => Buffer.from(bytes, "latin1")

export const fromText = (text: string): string => (isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1"))

export const toText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** JSON that holds an escape beyond ASCII would not parse to byte strings: such a line takes the way of text. */
export const parsesToBytes = (json: string): boolean => !json.includes("\\u") || !/\\u(?!00[0-7])/.test(json)

/** The nearest place at or before `index` that is not inside a character, be it of UTF-8 bytes or of UTF-16 units. */
export const boundary = (text: string, index: number): number => {
  let at = index
  for (let steps = 0; steps < 3 && at > 0; steps++) {
    const unit = text.charCodeAt(at)
    if ((unit >= 0x80 && unit <= 0xbf) || (unit >= 0xdc00 && unit <= 0xdfff)) at -= 1
    else break
  }
  return at
}
