import { plain } from "@souffleur/domain"
import { cut } from "../Wrapped.ts"

/** How a line is drawn where the terminal wants colours. */
export type Tone = "dim" | "green" | "yellow" | "red"

const codes: Readonly<Record<Tone, number>> = { dim: 2, green: 32, yellow: 33, red: 31 }

/** One line of the screen. */
export interface TopLine {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly bold?: boolean
}

/** Writes a line for a terminal with so many columns. A terminal obeys no word of its text. */
export const writtenLine = ({ bold = false, text, tone }: TopLine, columns: number, colours: boolean): string => {
  const shown = cut(plain(text, 4 * columns), columns)
  const drawn = [...(bold ? [1] : []), ...(tone === undefined ? [] : [codes[tone]])]
  return drawn.length === 0 || !colours ? shown : `\u001B[${drawn.join(";")}m${shown}\u001B[0m`
}
