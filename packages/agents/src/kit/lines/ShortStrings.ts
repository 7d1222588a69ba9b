const [quote, backslash, letterU] = [0x22, 0x5c, 0x75]

/** Bytes of a string in JSON that are kept: types, ids, times and first words are shorter. */
const kept = 4_096

/** Takes the bytes of one line of JSON in order, and returns the line with its long strings cut. */
export interface ShortStrings {
  readonly push: (chunk: Uint8Array) => void
  /** Returns the line; `undefined`: it has more than `limit` bytes all the same. */
  readonly result: () => Uint8Array | undefined
}

/**
 * Makes a reader of a line that is too long to be held, such as one with a picture. What is left out of a string leaves
 * the line well-formed. Memory is bounded by `limit`, in bytes.
 */
export const makeShortStrings = (limit: number): ShortStrings => {
  const short = new Uint8Array(limit)
  let length = 0
  let inString = false
  /** Bytes that the escape under way still has. */
  let escape = 0
  /** Bytes of this string until now. */
  let here = 0
  let cut = false
  return {
    push: (chunk) => {
      for (const byte of chunk) {
        if (!inString) {
          inString = byte === quote
          here = 0
          cut = false
        } else if (escape > 0) {
          escape = escape === 1 && byte === letterU ? 4 : escape - 1
        } else if (byte === quote) {
          inString = false
        } else {
          // A string is cut between two characters.
          cut ||= here++ >= kept && (byte & 0xc0) !== 0x80
          if (byte === backslash) escape = 1
        }
        if (cut && inString) continue
        if (length < limit) short[length] = byte
        length += 1
      }
    },
    result: () => (length > limit ? undefined : short.subarray(0, length))
  }
}
