import { bare, makeTerminalText } from "@souffleur/domain"
import { makeOutputLines, type ReadLine, wordLine } from "@souffleur/process"
import { Option } from "effect"

/** Begins each line of souffleur on the screen of an agent. */
export const ourMark = "▸"

/**
 * Makes the text of an output for a terminal, piece by piece. A terminal obeys nothing but colours, and no line can
 * begin with our mark. `read` gives the words of a line in the agent's format for programs.
 */
export const makeTerminalOutput = (read: ReadLine, colours: boolean) => {
  const safe = makeTerminalText(colours)
  const shown = (text: string) => text.replaceAll(ourMark, "▹")
  return makeOutputLines(
    (part) => shown(safe(part)),
    (line) => Option.map(read(line), (words) => shown(wordLine(bare(words))))
  )
}
