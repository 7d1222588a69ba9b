import { release } from "@souffleur/supervisor"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { findWatch, layerLaunches, layerStore } from "@souffleur/embed/internal"
import { json, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

export const releaseCommand = Command.make(
  "release",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const { id } = yield* findWatch(flags.watch, yield* Project)
    const watch = yield* release(id)
    if (flags.json)
      return yield* Console.log(JSON.stringify({ watch: id, released: true, last_export: watch.lastExport }))
    yield* Console.log(
      `${id} is released; its Conductor is left as it is.${watch.lastExport === null ? "" : ` Its last export: ${watch.lastExport}`}`
    )
  })
).pipe(withLayers((settings) => Layer.merge(layerStore(settings), layerLaunches(settings))))
