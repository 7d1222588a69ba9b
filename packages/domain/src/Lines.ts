/** Cuts a stream of bytes into lines, in bounded memory. */
export interface Lines {
  /** The bytes are not kept: what is left of an unfinished line is copied. */
  readonly push: (chunk: Uint8Array) => void
  /** The stream is over: what follows the last newline is handed on as a line that is not whole. */
  readonly end: () => void
  /** Lines that were longer than the limit, and so were left out. */
  readonly tooLong: () => number
}

const newline = 10

/**
 * `onLine` gets each line that is not empty, without its newline, as a range of bytes that is valid during the call
 * only. `whole` is false for what follows the last newline. A line of more than `limit` bytes is left out and counted.
 */
export const makeLines = (limit: number, onLine: (bytes: Uint8Array, whole: boolean) => void): Lines => {
  // The whole of it at once: its pages take no memory until they are written, and a buffer that grew would leave
  // garbage.
  const carry = new Uint8Array(limit)
  let carried = 0
  let skipping = false
  let tooLong = 0

  const keep = (part: Uint8Array) => {
    if (skipping) return
    if (carried + part.length > limit) {
      skipping = true
      tooLong += 1
      return
    }
    carry.set(part, carried)
    carried += part.length
  }
  const finish = (whole: boolean) => {
    if (!skipping && carried > 0) onLine(carry.subarray(0, carried), whole)
    carried = 0
    skipping = false
  }

  return {
    push: (chunk) => {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        if (carried > 0 || skipping || end - start > limit) {
          keep(chunk.subarray(start, end))
          finish(true)
        } else if (end > start) {
          onLine(chunk.subarray(start, end), true)
        }
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.subarray(start))
    },
    end: () => finish(false),
    tooLong: () => tooLong
  }
}
