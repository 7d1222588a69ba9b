import { nameOf } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { findJob } from "./NamedJob.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Ends a watch, and leaves its Conductor as it is (spec: command-line#watches). */
export const releaseCommand = Command.make(
  "release",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    yield* personOnly("souffleur release")
    const souffleur = yield* Souffleur
    const found = yield* findJob(souffleur, namedIn(yield* Project, flags.watch))
    const { id } = found
    if ("run" in found)
      return yield* new BadUsage({
        message: `${id} is a run, which has no agent to give up: "souffleur stop ${id}" ends its conductor after the agent at work, and "souffleur hold ${id}" has nothing further begin`
      })
    const watch = yield* souffleur.release(id)
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({ watch: id, released: true, pid: watch.conductor?.pid ?? null, last_export: watch.lastExport })
      )
    const pid = watch.conductor === undefined ? "" : `, pid ${watch.conductor.pid},`
    yield* Console.log(
      `${id} is released; ${nameOf(watch)}${pid} is left as it is.${watch.lastExport === null ? "" : ` Its last export: ${watch.lastExport}`}`
    )
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
