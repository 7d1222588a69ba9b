import type { CommandLine } from "@souffleur/embed/internal"
import { Context, Effect } from "effect"
import type { Mark } from "../Printing.ts"

/** The surroundings that the process was started with. `Program.ts` reads them once. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The platform by Node's name. */
  readonly platform: string
  /** The mark of our own colours for the console. `false`: standard output is no terminal, or wants no colour. */
  readonly colour: Mark
  /** The columns of the terminal on standard output; `undefined`: it is none. */
  readonly columns: number | undefined
  /** True if standard input and output are a terminal, so that a question can be asked. */
  readonly interactive: boolean
  /** The words that run this program again: the interpreter and its first arguments. */
  readonly self: CommandLine
  /** The folder of the published command; `undefined`: this program is the source, or the single executable. */
  readonly published: string | undefined
}

/** The surroundings of a command: its folder, its variables, and its terminal. A test has its own. */
export class Environment extends Context.Service<Environment, Surroundings>()("@souffleur/cli/Environment") {}

/**
 * Is told that the process has work besides its output. Such a process outlives its reader, while any other ends with
 * it.
 */
export const WorksUnread = Context.Reference<Effect.Effect<void>>("@souffleur/cli/WorksUnread", {
  defaultValue: () => Effect.void
})

/** Is told that nothing reads the output any more. The process then ends without writing the rest. */
export const Unread = Context.Reference<Effect.Effect<void>>("@souffleur/cli/Unread", {
  defaultValue: () => Effect.void
})
