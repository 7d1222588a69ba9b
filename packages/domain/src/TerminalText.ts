import { shownAsSign } from "./PlainText.ts"

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

/**
 * Another break of a line than `\n`, and each character that a terminal obeys, or shows nothing of. Of the latter are
 * fills, bells and the shifts that end a colour in tmux and screen.
 */
const mark = "\\r\\n?|(?![\\n\\t])[\\p{Cc}\\p{Cs}\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]"
const marks = new RegExp(mark, "gu")
const marksAndSequences = new RegExp(`${sequence}|${mark}`, "gu")
const silent = "\0\u0007\u000E\u000F"

const shownMark = (found: string): string =>
  found.startsWith("\r") ? "\n" : silent.includes(found) ? "" : shownAsSign(found)

const shownColour = (found: string): string => {
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
    const found = torn.exec(text)?.[0] ?? ""
    carried = found.length <= maxSequence ? found : ""
    return text.slice(0, text.length - carried.length).replaceAll(marksAndSequences, (match) => {
      if (match.length === 1 || match === "\r\n") return shownMark(match)
      if (match.length > maxSequence) return match.replaceAll(marks, shownMark)
      return colours ? shownColour(match) : ""
    })
  }
}

/** Returns a text of others without the sequences that a terminal obeys. Line breaks and tabs stay. */
export const bare = (text: string): string => makeTerminalText(false)(text)
