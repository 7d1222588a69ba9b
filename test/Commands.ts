import { Completions } from "effect/cli"
import { root } from "../packages/cli/src/Cli.ts"

/** A command of souffleur's, as its completions know it. */
export interface Command {
  readonly name: string
  readonly flags: ReadonlyArray<Completions.FlagDescriptor>
  readonly subcommands: ReadonlyArray<Command>
}
const below = ({ subcommands }: Command, before = ""): ReadonlyArray<readonly [path: string, command: Command]> =>
  subcommands.flatMap((one) => [[`${before}${one.name}`, one] as const, ...below(one, `${before}${one.name} `)])

/** Every command by its path, such as `conduct answer`; an alias is a command of its own. */
export const commands = below(Completions.fromCommand(root))

/** The names of a flag, and of its opposite. */
export const flagNames = ({ name, type }: Completions.FlagDescriptor): ReadonlyArray<string> =>
  type._tag === "Boolean" ? [name, `no-${name}`] : [name]
