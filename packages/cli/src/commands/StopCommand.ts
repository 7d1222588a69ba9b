import { nameOf } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerClaims, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Ended } from "../Failure.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Ends an agent with its tree, and its watch (spec: command-line#watches). */
export const stopCommand = Command.make(
  "stop",
  {
    watch: watchName,
    projectDir,
    reason: Flag.String("reason").pipe(Flag.withDescription("Why, in your own words, for the log"), Flag.optional),
    json
  },
  Effect.fnUntraced(function* (flags) {
    yield* personOnly("souffleur stop")
    const souffleur = yield* Souffleur
    const { id } = yield* souffleur.find(namedIn(yield* Project, flags.watch))
    const watch = yield* souffleur.stop(
      id,
      Option.match(flags.reason, { onNone: () => ({}), onSome: (reason) => ({ reason }) })
    )
    const stopped = watch.end === "stopped" || watch.end === "limit reached"
    const pid = watch.conductor?.pid ?? null
    if (flags.json) yield* Console.log(JSON.stringify({ watch: id, stopped, pid, last_export: watch.lastExport }))
    else if (stopped) {
      const which = pid === null ? "" : `, pid ${pid},`
      const last = watch.lastExport === null ? "" : `. Its last export: ${watch.lastExport}`
      yield* Console.log(`${id} is stopped: ${nameOf(watch)}${which} has ended with all that it started${last}`)
    } else
      yield* Console.error(
        `souffleur: ${id} is not stopped (${watch.standby?.message ?? watch.end ?? "its watch goes on"}): say it again, or "souffleur release ${id}" and end it yourself`
      )
    if (!stopped) return yield* new Ended({ code: 1 })
  })
).pipe(
  withLayers((settings) =>
    layerClaims.pipe(Layer.provideMerge(layerAgentFiles(settings)), Layer.provideMerge(layerSouffleur(settings)))
  )
)
