import { release } from "@souffleur/supervisor"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { launches, settingsOf, store } from "../world/App.ts"
import { findWatch } from "../watching/FindWatch.ts"
import { json, projectDir, realProject, watchName } from "./Options.ts"

export const releaseCommand = Command.make(
  "release",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { id, watch } = yield* Effect.gen(function* () {
      const { id } = yield* findWatch(flags.watch, project)
      return { id, watch: yield* release(id) }
    }).pipe(Effect.provide([store(settings), launches(settings)]))
    if (flags.json)
      return yield* Console.log(JSON.stringify({ watch: id, released: true, last_export: watch.lastExport }))
    yield* Console.log(
      `${id} is released; its Conductor is left as it is.${watch.lastExport === null ? "" : ` Its last export: ${watch.lastExport}`}`
    )
  })
).pipe(Command.withAlias("stop"), Command.withDescription("End a watch; its Conductor is left as it is"))
