import { Settings } from "@souffleur/domain"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { settingsOf } from "../App.ts"
import { printJson } from "../Printing.ts"
import { json, projectDir, realProject } from "./Options.ts"

export const configCommand = Command.make(
  "config",
  { projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const settings = yield* settingsOf(yield* realProject(flags.projectDir))
    const resolved = Settings.json(settings)
    if (flags.json) return yield* printJson(resolved)
    const { source, warnings, ...values } = resolved
    const width = Math.max(...Object.keys(values).map((name) => name.length))
    yield* Effect.forEach(Object.entries(values), ([name, value]) => Console.log(`${name.padEnd(width)}  ${value ?? "none"}`))
    yield* Console.error(source === null ? "no config file: these are defaults and the environment" : `config file: ${String(source)}`)
    yield* Effect.forEach(warnings as ReadonlyArray<string>, (warning) => Console.error(`warning: ${warning}`))
  })
).pipe(Command.withDescription("The settings in force, and where they come from"))
