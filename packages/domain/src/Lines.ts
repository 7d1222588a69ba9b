/** Cuts a stream of bytes into lines, in bounded memory. */
export interface Lines {
  /** Takes bytes. They are not kept: the rest of an unfinished line is copied. */
  readonly push: (chunk: Uint8Array) => void
  /** Ends the stream. The bytes after the last newline are given as a line that is not whole. */
  readonly end: () => void
  /** Returns the count of lines that were left out because they exceed the limit. */
  readonly tooLong: () => number
}

const newline = 10
/** The first size of the buffer for the rest of an unfinished line. */
const firstBytes = 4096

/**
 * Makes a cutter of lines. `onLine` gets each line that is not empty, without its newline. The range of bytes is valid
 * during the call only. `whole` is false for the bytes after the last newline. A line of more than `maxBytes` is left
 * out and counted.
 */
export const makeLines = (maxBytes: number, onLine: (bytes: Uint8Array, whole: boolean) => void): Lines => {
  // Most lines are short. A buffer of full size for each of many readers would be taken from a heap that keeps it.
  let carry = new Uint8Array(0)
  let carried = 0
  let skipping = false
  let tooLong = 0

  const keep = (part: Uint8Array) => {
    if (skipping) return
    if (carried + part.length > maxBytes) {
      skipping = true
      tooLong += 1
      return
    }
    if (carried + part.length > carry.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(firstBytes, 2 * (carried + part.length))))
      larger.set(carry.subarray(0, carried))
      carry = larger
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
        if (carried > 0 || skipping || end - start > maxBytes) {
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
