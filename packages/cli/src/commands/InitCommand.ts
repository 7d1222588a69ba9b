import { CommsSchema } from "@souffleur/comms"
import { Signals, SqliteClient } from "@souffleur/node"
import { Console, Effect, Path } from "effect"
import { Command } from "effect/cli"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Makes the comms database of a project, or what it lacks (spec: command-line#setting-up). */
export const initCommand = Command.make(
  "init",
  { projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const path = yield* Path.Path
    const file = path.join(yield* Project, "comms.db")
    // Only its person waits for this file, and a signal ends the wait.
    const made = yield* Effect.provide(Signals.endable(CommsSchema.init(file)), SqliteClient.layerSqlite)
    if (flags.json) return yield* Console.log(JSON.stringify({ comms: file, made }))
    yield* Console.log(made.length === 0 ? `${file} has everything already` : `made in ${file}: ${made.join(", ")}`)
  })
).pipe(withProject)
