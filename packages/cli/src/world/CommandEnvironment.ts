import { Context } from "effect"
import type { Mark } from "../Printing.ts"

/** What the process was started with: read once, in `main.ts`, and nowhere else. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** As Node names it. */
  readonly platform: string
  /** By which the console knows our own colours; `false` where standard output is no terminal that wants any. */
  readonly colour: Mark
  /** Standard input and output are a terminal: a question can be asked. */
  readonly interactive: boolean
  /** Runs this very program again: the interpreter and its first arguments. */
  readonly self: readonly [string, ...ReadonlyArray<string>]
}

export class Environment extends Context.Service<Environment, Surroundings>()("@souffleur/cli/Environment") {}
