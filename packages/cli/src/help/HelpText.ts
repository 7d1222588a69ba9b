import { Array } from "effect"
import { CliOutput, type HelpDoc } from "effect/cli"
import { commandGroups } from "./CommandGroups.ts"

const formatter = CliOutput.defaultFormatter({ colors: false })

const usual: ReadonlySet<string> = new Set(commandGroups.flatMap(({ usual }) => usual))

const isRoot = ({ commandPath = [] }: HelpDoc.HelpDoc) => commandPath.length === 1

/** Leaves the flags of every command out, and of all commands the unusual ones. */
const shortened = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => {
  if (!isRoot(doc)) return { ...doc, globalFlags: [] }
  const subcommands = (doc.subcommands ?? []).flatMap(({ commands, group }) => {
    const shown = commands.filter(({ name }) => usual.has(name))
    return Array.isReadonlyArrayNonEmpty(shown) ? [{ group, commands: shown }] : []
  })
  return { ...doc, flags: [], globalFlags: [], subcommands }
}

/** Returns a help: short, or whole where the command line has `--all` (spec: command-line#conventions). */
export const helpText = (doc: HelpDoc.HelpDoc, args: ReadonlyArray<string>): string => {
  if (args.includes("--all")) return formatter.formatHelpDoc(doc)
  const path = (doc.commandPath ?? []).join(" ")
  const all = isRoot(doc)
    ? `"souffleur COMMAND --help" tells of a command, and "souffleur --help --all" has all commands and flags.`
    : `"${path} --help --all" has the flags of every command too.`
  return `${formatter.formatHelpDoc(shortened(doc))}\n\n${all}`
}
