import { Context } from "effect"

/** What the process was started with: read once, in `main.ts`, and nowhere else. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** As Node names it. */
  readonly platform: string
  /** Standard output is a terminal that wants colour. */
  readonly colour: boolean
  /** Standard input and output are a terminal: a question can be asked. */
  readonly interactive: boolean
  /** Runs this very program again: the interpreter and its first arguments. */
  readonly self: readonly [string, ...ReadonlyArray<string>]
}

export class Environment extends Context.Service<Environment, Surroundings>()("@souffleur/cli/Environment") {}
