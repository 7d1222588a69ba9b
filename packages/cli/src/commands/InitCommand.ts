import { CommsErrand, CommsSchema } from "@souffleur/comms"
import { Signals, SqliteClient } from "@souffleur/node"
import { Console, Effect, FileSystem, Path } from "effect"
import { Command } from "effect/cli"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/**
 * Makes what a file lacks. Tables that are there may have checks of others, which may not end. So a second process
 * writes to them. A signal ends this process at once while it makes or reads the file itself.
 */
const makeIn = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file))) return yield* Signals.endable(CommsSchema.init(file))
  const isMade = yield* Effect.orElseSucceed(Signals.endable(CommsSchema.isMade(file)), () => false)
  return isMade ? [] : yield* CommsErrand.init(file)
}, Effect.provide(SqliteClient.layerSqlite))

/** Makes the comms database of a project, or what it lacks (spec: command-line#setting-up). */
export const initCommand = Command.make(
  "init",
  { projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const path = yield* Path.Path
    const file = path.join(yield* Project, "comms.db")
    const made = yield* CommsErrand.patiently(makeIn(file))
    if (flags.json) return yield* Console.log(JSON.stringify({ comms: file, made }))
    yield* Console.log(made.length === 0 ? `${file} has everything already` : `made in ${file}: ${made.join(", ")}`)
  })
).pipe(withProject)
