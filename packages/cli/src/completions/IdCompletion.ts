import { Completions } from "effect/cli"
import type { CompletedShell } from "./CompletionFile.ts"

/** What a completion looks up for an argument of this name. */
const looksUp: Readonly<Record<string, IdKind>> = { watch: "watches", task: "tasks" }

/** The kinds of ids that `souffleur completions ids` prints. */
export const idKinds = ["watches", "tasks"] as const
type IdKind = (typeof idKinds)[number]

/** Stands for the ids in the script of the library, which knows fixed words alone. */
const placeOf = (kind: IdKind) => `__souffleur_${kind}__`

/** Marks the arguments that are ids. Those of a fleet are at its hub. */
const marked = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...command,
  arguments: command.arguments.map((argument) => {
    const kind = looksUp[argument.name]
    return kind === undefined ? argument : { ...argument, type: { _tag: "Choice", values: [placeOf(kind)] } }
  }),
  subcommands: command.subcommands.map((one) => (one.name === "fleet" ? one : marked(one)))
})

/** Returns the word of a script that stands for ids, and the one that asks for them. */
const asked: Readonly<Record<CompletedShell, (place: string, line: string) => readonly [from: string, to: string]>> = {
  bash: (place, line) => [`'${place}'`, `$(${line})`],
  zsh: (place, line) => [`(${place})`, `{compadd -- \${(f)"$(${line})"}}`],
  fish: (place, line) => [`'${place}'`, `'(${line})'`]
}

/** Returns the completion of a shell. The ids of watches and tasks are asked for when a person completes them. */
export const completionFor = (command: Completions.CommandDescriptor, shell: Completions.Shell): string =>
  shell === "powershell"
    ? Completions.generate(command.name, shell, command)
    : idKinds.reduce(
        (script, kind) => {
          const [from, to] = asked[shell](placeOf(kind), `souffleur completions ids ${kind} 2>/dev/null`)
          return script.replaceAll(from, () => to)
        },
        Completions.generate(command.name, shell, marked(command))
      )
