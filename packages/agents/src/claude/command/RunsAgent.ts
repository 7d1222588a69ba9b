import type { AgentProgram } from "@souffleur/domain"
import { isClaude } from "./CommandFront.ts"

const nameOfProgram = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/**
 * Returns whether a command line may be an agent's: the configured command, with or without its interpreter, or Claude
 * Code by its name or package, behind a runtime with a flag or two.
 */
export const runsAgent = (words: ReadonlyArray<string>, { args, program }: AgentProgram): boolean => {
  const configured = (from: number): boolean =>
    words[from] !== undefined &&
    nameOfProgram(words[from]) === nameOfProgram(program) &&
    args.every((word, at) => words[from + 1 + at] === word)
  return words.slice(0, 4).some(isClaude) || configured(0) || configured(1)
}
