import type { AgentProgram } from "@souffleur/domain"
import { isClaude } from "./CommandFront.ts"

const nameOfProgram = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/**
 * A command line that may be an agent's: the configured one, itself or by the interpreter that it is given to, or
 * Claude Code by its name or out of its package, with a runtime and a flag or two of that before it.
 */
export const runsAgent = (words: ReadonlyArray<string>, { args, program }: AgentProgram): boolean => {
  const configured = (from: number): boolean =>
    words[from] !== undefined &&
    nameOfProgram(words[from]) === nameOfProgram(program) &&
    args.every((word, at) => words[from + 1 + at] === word)
  return words.slice(0, 4).some(isClaude) || configured(0) || configured(1)
}
