import { endedWatches, findPlan, layerStoreReading, livingWatches } from "@souffleur/embed/internal"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { installCompletion, shells, uninstallCompletion, usualShell } from "../completions/CompletionFile.ts"
import { CompletionScript } from "../completions/CompletionScript.ts"
import { printJson } from "../Printing.ts"
import { idKinds } from "../completions/IdCompletion.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** The ended watches that a completion offers. */
const maxEnded = 20

const flags = {
  shell: Argument.Literals("shell", shells).pipe(
    Argument.withDescription("The shell; by default that of SHELL"),
    Argument.optional
  ),
  json
}

const shellOf = (given: Option.Option<(typeof shells)[number]>) =>
  Option.isSome(given) ? Effect.succeed(given.value) : usualShell

/** The command that reads a completion for the first time, where a new shell does not. */
const first = (shell: (typeof shells)[number], file: string) =>
  shell === "zsh"
    ? `Where zsh does not find it, put this before compinit: fpath=(${file.slice(0, file.lastIndexOf("/"))} $fpath)`
    : "A new shell reads it."

const install = Command.make(
  "install",
  flags,
  Effect.fnUntraced(function* (given) {
    const shell = yield* shellOf(given.shell)
    const script = yield* CompletionScript
    const done = yield* Effect.scoped(installCompletion(shell, yield* script(shell)))
    if (given.json) return yield* printJson(done)
    yield* Console.log(`The completion for ${shell} ${done.changed ? "is written to" : "is in"} ${done.file}.`)
    yield* Console.log(first(shell, done.file))
  })
).pipe(Command.withDescription("Write the completion of a shell, and say where"))

const uninstall = Command.make(
  "uninstall",
  flags,
  Effect.fnUntraced(function* (given) {
    const done = yield* uninstallCompletion(yield* shellOf(given.shell))
    if (given.json) return yield* printJson(done)
    yield* Console.log(done.removed ? `${done.file} is removed.` : `There is no completion for ${done.shell}.`)
  })
).pipe(Command.withDescription("Remove the completion of a shell"))

const ids = Command.make(
  "ids",
  {
    kind: Argument.Literals("kind", idKinds).pipe(
      Argument.withDescription(
        "The watches of this user, or the tasks of this folder's newest run that wait for an answer"
      )
    ),
    projectDir
  },
  Effect.fnUntraced(function* ({ kind }) {
    const found =
      kind === "watches"
        ? [...(yield* livingWatches), ...(yield* endedWatches(maxEnded)).last].map(({ id }) => id)
        : (yield* findPlan({ project: yield* Project })).run.tasks.flatMap(({ escalation, id }) =>
            escalation === null ? [] : [id]
          )
    yield* Effect.forEach(found, (id) => Console.log(id), { discard: true })
  })
).pipe(withLayers(layerStoreReading), Command.withDescription("Print the ids that a completion offers, one a line"))

/** Adds the completions of a shell, or removes those that souffleur wrote (spec: command-line#setting-up). */
export const completionsCommand = Command.make("completions").pipe(Command.withSubcommands([install, uninstall, ids]))
