import { compactMarkerLine } from "./ExportFormat.ts"

/** Most characters after a position that a decision reads. */
export const reachCharacters = 256

/**
 * Finds the compact markers of a text that comes in windows. Each window begins with the last character of the window
 * before.
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
      for (let at = window.indexOf(line); at >= 0 && at + 1 < cut; at = window.indexOf(line, at + 1)) {
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

/** Matches Python's `\s`, except the end of a line. */
// oxlint-disable-next-line no-control-regex
const blank = /^[\t\x0b-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u
const isBlank = (text: string) => blank.test(text)
const isQuote = (line: string) => /^ {0,3}>/u.test(line)
const ours = new RegExp(`^${compactMarkerLine("[0-9a-f]{32}")}(?:\n|$)`, "u")

/** Most characters of a code fence, and of the rest of its line that is read. */
const maxFenceChars = 64

/**
 * Finds the markers of any other export, in any case (spec: behaviour#estimate). They are `compact_boundary` (with or
 * without `micro`), a line that begins with `/compact`, `Compacted (`, and `[lethe summary]`. A marker in a code fence
 * or a quoted line may only be talk about compaction. It is counted, but the scope never starts there.
 */
export const foreignMarkers = (): CompactMarkers => {
  const candidate = /compact(?:_boundary|ed \()?|\[lethe summary\]|\n {0,3}(?:`{3,}|~{3,})/giu
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

  const follow = (window: string, to: number) => {
    const passed = window.slice(followed, to)
    const line = passed.lastIndexOf("\n") + 1
    if (line > 0) quoted = isQuote(window.slice(followed + line, followed + line + 4))
    blank = (line > 0 || blank) && isBlank(passed.slice(line))
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
    } else if (run.startsWith(fence) && /^[ \t\r]*$/u.test(info!)) fence = undefined
  }

  const isCommand = (window: string, at: number) => {
    if (
      window[at - 1] !== "/" ||
      /^[\p{L}\p{N}_]/u.test(window.slice(at + "compact".length, at + "compact".length + 2))
    )
      return false
    follow(window, at - 1)
    return blank
  }

  /** Returns where a marker that may count ends, or -1. */
  const lookAtMarker = (window: string, at: number, found: string) => {
    if (found.length === "compact".length && !isCommand(window, at)) return -1
    follow(window, at)
    count++
    if (window[at - 6] === "\n" && ours.test(window.slice(at - 5, at + 70))) strays++
    if (quoted || fence !== undefined) return -1
    plain++
    return at + found.length
  }

  return {
    look: (window, cut) => {
      let last = -1
      candidate.lastIndex = 0
      for (let found = candidate.exec(window); found !== null; found = candidate.exec(window)) {
        const [text] = found
        const isFence = text.startsWith("\n")
        const at = isFence ? found.index + 1 : found.index
        if (at >= cut) break
        const end = found.index + text.length
        if (isFence) lookAtFence(text.trimStart(), window.slice(end, end + maxFenceChars))
        else if (at > 0) last = Math.max(last, lookAtMarker(window, at, text))
      }
      follow(window, cut)
      followed = 1
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
