import { limitRuleInWords } from "@souffleur/domain"
import { streamOf } from "@souffleur/plan"
import { type ProjectConfig, Souffleur, SouffleurSetup } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur, settingsOf } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { printTable } from "../explain/TextTable.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { printJson } from "../Printing.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

const inWords = ({ problem, trusted }: ProjectConfig): string =>
  `trusted: ${trusted}${problem === null ? "" : `: ${problem}`}`

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
    const setup = yield* SouffleurSetup
    const { config, settings } = yield* setup.settings(project)
    if (flags.json) {
      const { asks_for, ceiling: max_external_permission, file, trusted, warnings } = config
      const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
      const from = Object.fromEntries(settings.flatMap(({ from, name }) => (from === null ? [] : [[name, from]])))
      const said = { max_external_permission, asks_for }
      return yield* printJson({ ...values, warnings, source: file, from, trusted, file: said })
    }
    // The path of the file is told once, below.
    const origin = (from: string | null) => from?.replace(/^(line \d+) of .*$/su, "$1 of the file") ?? "default"
    yield* printTable(
      settings.map(({ from, name, value }) => [name, `${String(value ?? "") || "none"} (${origin(from)})`])
    )
    yield* Console.error(
      config.file === null ? "no config file: these are defaults and the environment" : `config file: ${config.file}`
    )
    yield* Console.error(inWords(config))
    const given = (wanted: string) => {
      const found = settings.find(({ name }) => name === wanted)
      return found === undefined || found.from === null ? null : Number(found.value)
    }
    const gate = {
      trimChars: given("trim_chars"),
      forceCompactThresholdTokens: given("force_compact_threshold_tokens")
    }
    yield* Console.error(`gate: ${limitRuleInWords(gate)}`)
    yield* Effect.forEach(config.warnings, (warning) => Console.error(`warning: ${warning}`))
  })
).pipe(Command.provide(SouffleurSetup.layer), withProject)
