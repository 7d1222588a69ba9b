import { compactMarkerLine } from "./ExportFormat.ts"

/** Bytes that a decision looks at before and after the place in question, at most. */
export const reach = 256

/** Finds markers in a window that moves over a file; told of every candidate in it, in order. */
export interface CompactMarkers {
  /** Which candidates it wants. */
  readonly kind: "own" | "foreign"
  /** Looks at one candidate. A marker that may count gives the position after it, anything else -1. */
  readonly visit: (at: number) => number
  /** The window goes on: what stood at `cut` will stand at `start`. */
  readonly move: (cut: number, start: number) => void
  /** All markers, those that may not count included. */
  readonly count: () => number
  /** Why no marker can be believed, as a sentence. */
  readonly doubt: () => string | undefined
}

const newline = 10

/** Of our own exports: whole lines that repeat the nonce; the window begins with the file. */
export const ownMarkers = (bytes: Uint8Array, nonce: string): CompactMarkers => {
  const line = new TextEncoder().encode(`\n${compactMarkerLine(nonce)}`)
  const before = line.indexOf("c".charCodeAt(0))
  let count = 0
  return {
    kind: "own",
    visit: (at) => {
      const start = at - before
      for (let index = 0; index < line.length; index++) if (bytes[start + index] !== line[index]) return -1
      const end = start + line.length
      // Zero stands after the file's end.
      if (bytes[end] !== newline && bytes[end] !== 0) return -1
      count++
      return end
    },
    move: () => {},
    count: () => count,
    doubt: () => undefined
  }
}

/** The length of the white space that ends before `at`, 0 when it is none: Python's `\s`, which is Unicode's. */
const whiteSpaceBefore = (bytes: Uint8Array, at: number): number => {
  const last = bytes[at - 1]!
  if (last < 0x80) return last === 32 || (last >= 9 && last <= 13) || (last >= 28 && last <= 31) ? 1 : 0
  const second = bytes[at - 2]!
  if (second === 0xc2) return last === 0x85 || last === 0xa0 ? 2 : 0
  switch ((bytes[at - 3]! << 8) | second) {
    case 0xe19a:
    case 0xe380:
      return last === 0x80 ? 3 : 0
    case 0xe280:
      return last <= 0x8a || last === 0xa8 || last === 0xa9 || last === 0xaf ? 3 : 0
    case 0xe281:
      return last === 0x9f ? 3 : 0
    default:
      return 0
  }
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const ours = new RegExp(`^\n${compactMarkerLine("[0-9a-f]{32}")}[\n\0]`)

/**
 * Of any other export, these (spec: behaviour#estimate): `compact_boundary` (with or without `micro`), a line that begins with `/compact`,
 * `Compacted (`, `[lethe summary]`, in any case. One in a code fence or a quoted line may be talk about compaction: it is counted, but
 * never where the scope starts.
 */
export const foreignMarkers = (bytes: Uint8Array, start: number): CompactMarkers => {
  let count = 0
  let plain = 0
  /** Our own marker without our header: a part of one of our exports, or a conversation that has read one. */
  let strays = 0
  let from = start
  /** Nothing but white space from the line's start to `from`. */
  let blank = true
  let fence: { readonly byte: number; readonly length: number } | undefined

  const isQuote = (lineStart: number) => {
    let at = lineStart
    while (at < lineStart + 3 && bytes[at] === 32) at++
    return bytes[at] === 62
  }
  let quoted: boolean | undefined
  /** How far lines were followed; `quoted` is of the line that goes on there. */
  let followed = start
  const isQuoted = (at: number) => {
    quoted ??= isQuote(start)
    const last = bytes.subarray(followed, at).lastIndexOf(newline)
    if (last >= 0) quoted = isQuote(followed + last + 1)
    followed = at
    return quoted
  }

  const isBlankBefore = (position: number) => {
    let at = position
    while (at > from) {
      if (bytes[at - 1] === newline) return true
      const length = whiteSpaceBefore(bytes, at)
      if (length === 0) return false
      at -= length
    }
    return blank
  }

  /** CommonMark's: up to three spaces, three or more of one character; the closing one is as long at least, and alone. */
  const visitFence = (at: number) => {
    const byte = bytes[at]!
    let line = at
    while (line > at - 3 && bytes[line - 1] === 32) line--
    if (bytes[line - 1] !== newline) return
    let end = at
    while (end < at + 64 && bytes[end] === byte) end++
    const length = end - at
    if (length < 3 || bytes[end] === byte) return
    if (fence !== undefined && (fence.byte !== byte || length < fence.length)) return
    let info = false
    for (let next = end; next < end + 64 && bytes[next] !== newline && bytes[next] !== 0; next++) {
      if (byte === 96 && bytes[next] === 96 && fence === undefined) return
      info ||= bytes[next]! > 32
    }
    if (fence === undefined) fence = { byte, length }
    else if (!info) fence = undefined
  }

  const endOf = (at: number): number => {
    const text = utf8.decode(bytes.subarray(at, at + 32))
    const phrase = /^(?:compact_boundary|compacted \(|\[lethe summary\])/iu.exec(text)?.[0]
    if (phrase !== undefined) return at + new TextEncoder().encode(phrase).length
    const command = bytes[at - 1] === 47 && /^compact(?![\p{L}\p{N}_])/iu.test(text) && isBlankBefore(at - 1)
    return command ? at + "compact".length : -1
  }

  return {
    kind: "foreign",
    visit: (at) => {
      const byte = bytes[at]
      if (byte === 96 || byte === 126) {
        if (bytes[at - 1] !== byte) visitFence(at)
        return -1
      }
      const end = endOf(at)
      if (end < 0) return -1
      count++
      if (bytes[at - 6] === newline && ours.test(utf8.decode(bytes.subarray(at - 6, at + 70)))) strays++
      if (isQuoted(at) || fence !== undefined) return -1
      plain++
      return end
    },
    move: (cut, next) => {
      // A slash that the cut parts from its `compact` is looked at from behind the cut.
      const known = bytes[cut - 1] === 47 ? cut - 1 : cut
      blank = isBlankBefore(known)
      isQuoted(cut)
      from = next - cut + known
      followed = next
    },
    count: () => count,
    doubt: () => {
      if (strays > 0) return "compact markers of souffleur stand in a file without souffleur's header: the whole file is counted"
      return count > 0 && plain === 0
        ? "every compact marker stands in a code fence or a quoted line: the whole file is counted"
        : undefined
    }
  }
}
