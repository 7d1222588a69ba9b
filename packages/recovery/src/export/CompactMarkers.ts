import { compactMarkerLine } from "./ExportFormat.ts"

/** Most characters before a position that a decision reads: the `micro` of `microcompact_boundary`. */
export const behindCharacters = 5
/** Most characters after a position that a decision reads. */
export const reachCharacters = 256

/**
 * Finds the compact markers of a text that comes in windows, each of its line endings as one character. Each window
 * begins with the last {@link behindCharacters} of the window before.
 */
export interface CompactMarkers {
  /**
   * Reads each marker that begins before `cut`, where the next window begins. Returns where the last marker that may
   * count ends, or -1. At least {@link reachCharacters} characters follow `cut`, or the text ends there.
   */
  readonly look: (window: string, cut: number) => number
  /** Counts all markers, those that may not count included. */
  readonly count: () => number
  /** Returns a sentence that says why no marker can be believed; `undefined`: there is no doubt. */
  readonly doubt: () => string | undefined
}

/** Finds the markers of souffleur's own exports: whole lines that repeat the nonce. */
export const ownMarkers = (nonce: string): CompactMarkers => {
  const line = `\n${compactMarkerLine(nonce)}`
  let count = 0
  return {
    look: (window, cut) => {
      let last = -1
      for (
        let at = window.indexOf(line, behindCharacters - 1);
        at >= 0 && at + 1 < cut;
        at = window.indexOf(line, at + 1)
      ) {
        const end = at + line.length
        if (end < window.length && window[end] !== "\n") continue
        count++
        last = end
      }
      return last
    },
    count: () => count,
    doubt: () => undefined
  }
}

/** The characters of Python's `\s`, except the end of a line. */
const blanks = "\\t\\v-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
const isBlank = new RegExp(`^[${blanks}]*$`, "u")
const blankLines = new RegExp(`[\\n${blanks}]*`, "uy")
const isQuote = (line: string) => /^ {0,3}>/u.test(line)
const ours = new RegExp(`^${compactMarkerLine("[0-9a-f]{32}")}(?:\n|$)`, "u")
const micro = /micro$/iu

/** Most characters of a code fence, and of the rest of its line that is read. */
const maxFenceChars = 64

/**
 * Finds the markers of any other export, in any case (spec: behaviour#estimate). They are `compact_boundary`,
 * `microcompact_boundary`, which counts as two, a line that begins with `/compact`, `Compacted` before a parenthesis,
 * and `[lethe summary]`. A marker in a code fence or a quoted line may only be talk about compaction. It is counted,
 * but the scope never starts there.
 */
export const foreignMarkers = (): CompactMarkers => {
  const candidate = /compact_boundary|compacted|\/compact(?![\p{L}\p{N}_])|\[lethe summary\]|\n {0,3}(?:`{3,}|~{3,})/giu
  let count = 0
  let plain = 0
  /** Counts souffleur's own markers without its header: a part of an export, or a conversation that has read one. */
  let strays = 0
  /** The open fence; `undefined`: none. */
  let fence: string | undefined
  /** The position up to which lines were read. */
  let followed = 0
  /** True if the line up to there is only white space. */
  let blank = true
  let quoted = false
  /** A `Compacted` with nothing but white space behind it so far: where it ends, and whether it may count. */
  let open: { readonly end: number; readonly counts: boolean } | undefined

  const follow = (window: string, to: number) => {
    const passed = window.slice(followed, to)
    const line = passed.lastIndexOf("\n") + 1
    if (line > 0) quoted = isQuote(window.slice(followed + line, followed + line + 4))
    blank = (line > 0 || blank) && isBlank.test(passed.slice(line))
    followed = to
  }

  /**
   * Opens or closes a fence by CommonMark's rule: up to three spaces, then three or more of one character. The closing
   * fence is alone on its line, and at least as long.
   */
  const lookAtFence = (run: string, after: string) => {
    const [info] = after.split("\n", 1)
    if (run.length > maxFenceChars) return
    if (fence === undefined) {
      if (run.startsWith("~") || !info!.includes("`")) fence = run
    } else if (run.startsWith(fence) && /^[ \t]*$/u.test(info!)) fence = undefined
  }

  /** Counts a marker. Returns where it ends if it may count, or -1. */
  const counted = (end: number, counts: boolean, times = 1) => {
    count += times
    if (counts) plain++
    return counts ? end : -1
  }

  /** Looks for the parenthesis of the open `Compacted`. Any number of blank lines may be before it. */
  const close = (window: string) => {
    if (open === undefined) return -1
    const { counts, end } = open
    blankLines.lastIndex = end
    blankLines.test(window)
    const at = blankLines.lastIndex
    if (at === window.length) return -1
    open = undefined
    return window[at] === "(" ? counted(at + 1, counts) : -1
  }

  /** Returns where a marker that may count ends, or -1. */
  const lookAtMarker = (window: string, at: number, found: string) => {
    const end = at + found.length
    follow(window, at)
    const counts = !quoted && fence === undefined
    if (found.startsWith("/")) return blank ? counted(end, counts) : -1
    if (found.toLowerCase() === "compacted") {
      open = { end, counts }
      return close(window)
    }
    if (window[at - 6] === "\n" && ours.test(window.slice(at - 5, at + 70))) strays++
    return counted(end, counts, micro.test(window.slice(at - 5, at)) ? 2 : 1)
  }

  return {
    look: (window, cut) => {
      let last = close(window)
      candidate.lastIndex = 0
      for (let found = candidate.exec(window); found !== null; found = candidate.exec(window)) {
        const [text] = found
        const isFence = text.startsWith("\n")
        const at = isFence ? found.index + 1 : found.index
        if (at >= cut) break
        if (at < behindCharacters) continue
        const end = found.index + text.length
        if (isFence) lookAtFence(text.trimStart(), window.slice(end, end + maxFenceChars))
        else last = Math.max(last, lookAtMarker(window, at, text))
      }
      follow(window, cut)
      followed = behindCharacters
      if (open !== undefined) open = { ...open, end: Math.max(open.end - cut, 0) + behindCharacters }
      return last
    },
    count: () => count,
    doubt: () => {
      if (strays > 0)
        return "compact markers of souffleur are in a file without souffleur's header: the whole file is counted"
      return count > 0 && plain === 0
        ? "every compact marker is in a code fence or a quoted line: the whole file is counted"
        : undefined
    }
  }
}
