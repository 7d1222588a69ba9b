import { signOf } from "./PlainText.ts"

/** UTF-16 units of a sequence. A longer one is text, and its end is not awaited. */
const maxSequence = 4096

/** The body of a string such as a title, up to its terminator (ECMA-48, 8.3). */
const body = "[^\\n\\u0007\\u001B\\u0080-\\u009F]*"
const strings = `(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])${body}`
const introducer = "(?:\\u001B\\[|\\u009B)"
const controls = `${introducer}[ -?]*`
/** A whole sequence: of a control function, of a string, or of a short escape. */
const sequence = `${controls}[@-~]|${strings}(?:[\\u0007\\u009C]|\\u001B\\\\)|\\u001B(?![[\\]PX^_])[ -/]*[0-~]`
/** The beginning of a sequence, or of a line break, at the end of a piece. */
const torn = new RegExp(`(?:${controls}|${strings}\\u001B?|\\u001B[ -/]*|\\r)$`, "u")
/** A sequence that colours text, and does nothing else. */
const colour = new RegExp(`^${introducer}([\\d;:]*)m$`, "u")

/** One that conceals nothing, and stays as it is. */
const plainColour = new RegExp(`^(?!\\u009B)${introducer}[0-79;:]*m$`, "u")

/** The numbers after a parameter of a colour that belong to it: by index, or by its parts. */
const colourParts: ReadonlyMap<string | undefined, number> = new Map([
  ["5", 2],
  ["2", 4]
])

/**
 * Returns the parameters of a colour without the concealing one; `undefined`: nothing is left. A colour of many parts
 * keeps them, also an 8 among them.
 */
const shownParameters = (parameters: string): string | undefined => {
  // Each colour of many parts has an 8 too.
  if (!parameters.includes("8")) return parameters
  const all = parameters.split(";")
  const kept: Array<string> = []
  for (let at = 0; at < all.length;) {
    const one = all[at]!
    const more = /^0*[345]8$/u.test(one) ? colourParts.get(all[at + 1]) : 0
    // A terminal may read the parts of a broken colour as words of their own.
    if (more === undefined || all.length - at <= more) break
    const next = at + 1 + more
    if (Number(one.split(":")[0]) !== 8) kept.push(...all.slice(at, next))
    at = next
  }
  return kept.length === 0 ? undefined : kept.join(";")
}

/** What begins a sequence. */
const opening = "[\\u001B\\u0080-\\u009F]"
/**
 * Another break of a line than `\n`, and each character that a terminal obeys, or shows nothing of. Of the latter are
 * fills, bells and the shifts that end a colour in tmux and screen. Those that begin no sequence are found in runs: an
 * output may hold nothing else.
 */
const mark =
  "(?:\\r\\n?|[\\0-\\u0008\\u000B\\u000C\\u000E-\\u001A\\u001C-\\u001F\\u007F\\p{Cs}\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]){1,4096}"
const marks = new RegExp(`${mark}|${opening}`, "gu")
const marksAndSequences = new RegExp(`${sequence}|${mark}|${opening}`, "gu")
/** An escape that begins no whole sequence. There may be as many as there are characters. */
const lone = new RegExp(`(?!${sequence})\\u001B`, "gu")
const begins = new RegExp(`^${opening}`, "u")

/** Codes of what shows nothing. A line feed is here the second half of a break. */
const silent: ReadonlySet<number> = new Set([0, 7, 10, 14, 15])

const shownCode = (code: number): string => (silent.has(code) ? "" : code === 13 ? "\n" : signOf(code))

const shownMarks = (found: string): string => {
  if (found.length === 1) return shownCode(found.charCodeAt(0))
  const shown: Array<string> = []
  for (let at = 0; at < found.length; at++) shown.push(shownCode(found.charCodeAt(at)))
  return shown.join("")
}

const shownColour = (found: string): string => {
  if (plainColour.test(found)) return found
  const given = found.endsWith("m") ? colour.exec(found)?.[1] : undefined
  const parameters = given === undefined ? undefined : shownParameters(given)
  return parameters === undefined ? "" : `\u001B[${parameters}m`
}

/**
 * Makes a filter for the pieces of an output of others, in bounded memory. It leaves out each whole sequence that a
 * terminal obeys: it may move the cursor, or set a title. Line breaks and tabs stay, and a carriage return
 * becomes a line break. Controls that show nothing are left out, and others are written as `plain` does it. `colours`:
 * sequences of colour stay, and none conceals what follows.
 */
export const makeTerminalText = (colours: boolean) => {
  let carried = ""
  return (piece: string): string => {
    const text = carried + piece
    // The beginning of a longer one is shown, so nothing before it need be read.
    const found = torn.exec(text.slice(-maxSequence - 1))?.[0] ?? ""
    carried = found.length <= maxSequence ? found : ""
    const whole = text.slice(0, text.length - carried.length).replaceAll(lone, signOf(27))
    return whole.replaceAll(marksAndSequences, (match) => {
      if (match.length === 1 || !begins.test(match)) return shownMarks(match)
      if (match.length > maxSequence) return match.replaceAll(marks, shownMarks)
      return colours ? shownColour(match) : ""
    })
  }
}

/** Returns a text of others without the sequences that a terminal obeys. Line breaks and tabs stay. */
export const bare = (text: string): string => makeTerminalText(false)(text)
