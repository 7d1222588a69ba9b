import { Effect } from "effect"
import { Completions } from "effect/cli"
import { rootFor } from "../packages/cli/src/CommandTable.ts"

/** A command of souffleur's, as its completions know it. */
export interface Command {
  readonly name: string
  readonly flags: ReadonlyArray<Completions.FlagDescriptor>
  readonly subcommands: ReadonlyArray<Command>
}
const below = ({ subcommands }: Command, before = ""): ReadonlyArray<readonly [path: string, command: Command]> =>
  subcommands.flatMap((one) => [[`${before}${one.name}`, one] as const, ...below(one, `${before}${one.name} `)])

/** Every command by its path, such as `conduct answer`; an alias is a command of its own. */
export const commands = below(Completions.fromCommand(await Effect.runPromise(rootFor(["--completions"]))))

/** The names of a flag, and of its opposite. */
export const flagNames = ({ name, type }: Completions.FlagDescriptor): ReadonlyArray<string> =>
  type._tag === "Boolean" ? [name, `no-${name}`] : [name]

/** Flags of every command. */
export const builtIn = ["help", "version", "completions", "log-level"]

/** Lists the commands and flags of souffleur that a line for a shell names and that do not exist. */
export const unknownIn = (line: string): ReadonlyArray<string> => {
  const [, words] = /^souffleur((?: [^#]*)?)$/u.exec(line.replace(/ -- .*| #.*/u, "").trim()) ?? []
  if (words === undefined || words.trim().startsWith("--")) return []
  const said = words.trim().split(/\s+/u)
  const command = [3, 2, 1]
    .map((count) => said.slice(0, count).join(" "))
    .map((path) => commands.find(([one]) => one === path))
    .find((found) => found !== undefined)
  if (command === undefined) return [line]
  const known = new Set([...builtIn, ...command[1].flags.flatMap(flagNames)])
  return [...words.matchAll(/\s--([a-z-]+)/gu)].flatMap(([, name = ""]) =>
    known.has(name) ? [] : [`${line}: --${name}`]
  )
}
