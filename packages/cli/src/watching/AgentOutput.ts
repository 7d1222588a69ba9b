import { bare, makeTerminalText } from "@souffleur/domain"
import { Option } from "effect"

/** Begins each line of souffleur on the screen of an agent. */
export const ourMark = "▸"

/** UTF-16 units of a line that may be a record in the agent's format for programs. A longer line is text. */
const maxRecord = 1 << 20

/**
 * Makes the text of an output for a terminal, piece by piece. Text is shown as it comes. A line in the agent's format
 * for programs waits for its end, and `read` gives its words. A terminal obeys nothing but colours, and no line can
 * begin with our mark.
 */
export const makeAgentOutput = (read: (line: string) => Option.Option<string>, colours: boolean) => {
  const safe = makeTerminalText(colours)
  let held = ""
  let inText = false

  const shown = (text: string) => text.replaceAll(ourMark, "▹")
  const lineOf = (line: string): string =>
    Option.match(read(line), {
      onNone: () => safe(`${line}\n`),
      onSome: (words) => (words === "" ? "" : `${bare(words)}\n`)
    })
  return {
    push: (piece: string): string => {
      let rest = held + piece
      let text = ""
      held = ""
      while (rest !== "") {
        const end = rest.indexOf("\n") + 1
        if (!inText && rest.startsWith("{") && end === 0 && rest.length <= maxRecord) {
          held = rest
          break
        }
        const whole = !inText && rest.startsWith("{") && end > 0
        const part = end === 0 ? rest : rest.slice(0, end)
        text += whole ? lineOf(part.slice(0, -1)) : safe(part)
        inText = end === 0
        rest = rest.slice(part.length)
      }
      return shown(text)
    },
    /** Ends the output. The torn last line is shown as it is. */
    end: (): string => {
      const text = shown(safe(held))
      held = ""
      return text
    }
  }
}
