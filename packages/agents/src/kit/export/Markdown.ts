import { characterStart } from "../lines/ByteString.ts"

// Everything here works for text and for byte strings alike, because it adds only ASCII.

// Two ranges, and DEL on its own, are searched three times as fast as one class of all.
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0b-\x1f]/
// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x08\x0b-\x1f\x7f]/g

const caret = (control: string): string => `^${String.fromCharCode(control.charCodeAt(0) ^ 0x40)}`

/**
 * Makes control characters visible, except tab and newline, in caret notation (`^[`). A carriage return becomes a
 * newline.
 */
export const visible = (text: string): string =>
  control.test(text) || text.includes("\x7f") ? text.replace(/\r\n?/g, "\n").replace(controls, caret) : text

/** Returns the first `limit` characters of a text on one line. */
export const inline = (text: string, limit: number): string => {
  const line = visible(text.slice(0, characterStart(text, limit))).replace(/[ \t\n]+/g, " ")
  return text.length > limit ? `${line}...` : line
}

/**
 * Removes empty lines at the beginning and white space at the end. `trim` would take bytes of characters for white
 * space.
 */
export const withoutBlankEnds = (text: string): string => {
  let end = text.length
  while (end > 0 && " \t\n".includes(text[end - 1]!)) end -= 1
  let start = 0
  while (start < end && text[start] === "\n") start += 1
  return text.slice(start, end)
}

const digits = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",")

/** Shortens a text to `limit`: its beginning and its end, with a note between them of the length left out. */
export const shorten = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const head = characterStart(text, Math.ceil(limit / 2))
  const tail = characterStart(text, text.length - Math.floor(limit / 2))
  return `${text.slice(0, head)}\n[... ${digits(tail - head)} bytes left out ...]\n${text.slice(tail)}`
}

/** Makes a code block, with a fence longer than any run of backticks in it. */
export const codeBlock = (content: string): string => {
  let longest = 2
  if (content.includes("```")) for (const [run] of content.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${content}${content.endsWith("\n") ? "" : "\n"}${fence}\n`
}

/** Closes a code block that the text leaves open, which would swallow the next text. */
export const closed = (text: string): string => {
  if (!text.includes("```") && !text.includes("~~~")) return text
  let open = ""
  for (const [, fence = "", rest = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === "") {
      if (fence[0] === "~" || !rest.includes("`")) open = fence
    } else if (fence[0] === open[0] && fence.length >= open.length && withoutBlankEnds(rest) === "") open = ""
  }
  return open === "" ? text : `${text}\n${open}`
}

/** Makes a code span for a text with any backticks. */
export const code = (text: string): string => {
  if (!text.includes("`")) return `\`${text}\``
  let longest = 1
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = "`".repeat(longest + 1)
  return `${fence} ${text} ${fence}`
}
