import { streamOf } from "@souffleur/plan"
import { overreachInWords, Settings } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { type ConfigTrust, layerAgentFiles, layerSouffleur, settingsOf, trustOf } from "@souffleur/embed/internal"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { personOnly } from "../watching/PersonOnly.ts"
import { printJson } from "../Printing.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Says in a word if the file is trusted. */
const trustWord = ({ keys, trusted }: ConfigTrust) =>
  Option.isNone(trusted) ? ("not yet" as const) : keys.length === 0 ? ("yes" as const) : ("no" as const)

const inWords = (trust: ConfigTrust): string => {
  switch (trustWord(trust)) {
    case "not yet":
      return "trusted: not yet; the first watch, run or plan here trusts the file as it is then"
    case "yes":
      return "trusted: yes"
    case "no":
      return `trusted: no: ${overreachInWords({ keys: trust.keys, said: trust.says })}`
  }
}

/** Trusts the present file for this project, and for its unfinished watches and its runs. */
const trust = Effect.fn("Config.trust")(function* (project: string, asJson: boolean) {
  const settings = yield* settingsOf(project)
  const { pin, runs, watches } = yield* Effect.andThen(
    personOnly("config --trust"),
    Souffleur.use((souffleur) => souffleur.trust(project))
  ).pipe(Effect.provide(Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
  const accepted = [...watches, ...runs.map(streamOf)]
  if (asJson) return yield* Console.log(JSON.stringify({ project, max_external_permission: pin.ceiling, accepted }))
  yield* Console.log(
    `${settings.source ?? "that there is no config file"} is trusted in ${project}: no launch is above ${pin.ceiling}${accepted.length === 0 ? "" : `, from now on for ${accepted.join(", ")} too; a program that was changed runs there when souffleur starts next`}`
  )
})

/** Prints the settings in force, and takes a person's trust in the config file (spec: command-line#config). */
export const configCommand = Command.make(
  "config",
  {
    projectDir,
    trust: Flag.Boolean("trust").pipe(
      Flag.withDescription("Accept the config file as it is now: its ceiling and its programs, for this project"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* Project
    if (flags.trust) return yield* trust(project, flags.json)
    const found = yield* trustOf(project)
    const resolved = Settings.json(found.settings)
    const file = { max_external_permission: found.said.ceiling, asks_for: found.keys }
    if (flags.json) return yield* printJson({ ...resolved, trusted: trustWord(found), file })
    const { source, warnings, ...values } = resolved
    const width = Math.max(...Object.keys(values).map((name) => name.length))
    yield* Effect.forEach(Object.entries(values), ([name, value]) =>
      Console.log(`${name.padEnd(width)}  ${value ?? "none"}`)
    )
    yield* Console.error(
      source === null ? "no config file: these are defaults and the environment" : `config file: ${String(source)}`
    )
    yield* Console.error(inWords(found))
    yield* Effect.forEach(warnings as ReadonlyArray<string>, (warning) => Console.error(`warning: ${warning}`))
  })
).pipe(withProject)
