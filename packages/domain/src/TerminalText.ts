import { plain } from "./PlainText.ts"

/** UTF-16 units of a sequence whose end is awaited. A longer one is shown, and obeyed by no terminal. */
const maxSequence = 4096

/** The body of a string such as a title, up to its terminator (ECMA-48, 8.3). */
const body = "[^\\n\\u0007\\u001B\\u0080-\\u009F]*"
const strings = `(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])${body}`
const introducer = "(?:\\u001B\\[|\\u009B)"
const controls = `${introducer}[ -?]*`
/** A whole sequence: of a control function, of a string, or of a short escape. */
const sequence = new RegExp(
  `(${controls}[@-~]|${strings}(?:[\\u0007\\u009C]|\\u001B\\\\)|\\u001B(?![[\\]PX^_])[ -/]*[0-~])`,
  "u"
)
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
  const [...rest] = parameters.split(";")
  const kept: Array<string> = []
  while (rest.length > 0) {
    const [one = ""] = rest
    const more = /^0*[345]8$/u.test(one) ? colourParts.get(rest[1]) : 0
    // A terminal may read the parts of a broken colour as words of their own.
    if (more === undefined || rest.length <= more) break
    const whole = rest.splice(0, 1 + more)
    if (Number(one.split(":")[0]) !== 8) kept.push(...whole)
  }
  return kept.length === 0 ? undefined : kept.join(";")
}

const silentOnes = "\\0\\u0007\\u000E\\u000F"
/** Matches fills, bells and the shifts that end a colour in tmux and screen. A terminal shows nothing of them. */
const silent = new RegExp(`[${silentOnes}]`, "gu")

const ordinary = (text: string): string =>
  text
    .replaceAll(silent, "")
    .replaceAll(/\r\n?/gu, "\n")
    .replaceAll(/[^\n\t]+/gu, (words) => plain(words))

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
    return text
      .slice(0, text.length - carried.length)
      .split(sequence)
      .map((part, n) => {
        if (n % 2 === 0) return ordinary(part)
        const found = colours ? colour.exec(part)?.[1] : undefined
        const parameters = found === undefined ? undefined : shownParameters(found)
        return parameters === undefined ? "" : `\u001B[${parameters}m`
      })
      .join("")
  }
}

/** Returns a text of others without the sequences that a terminal obeys. Line breaks and tabs stay. */
export const bare = (text: string): string => makeTerminalText(false)(text)
