import { iso } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { signOfAgent } from "../person/PersonOnly.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Holds a watch: nothing is stopped or launched until `go` (spec: behaviour#hold). */
export const holdCommand = Command.make(
  "hold",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const souffleur = yield* Souffleur
    const { id } = yield* souffleur.find(namedIn(yield* Project, flags.watch))
    const { held } = yield* souffleur.hold(id, { byAgent: (yield* signOfAgent) !== undefined })
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, held_since: iso(held?.since ?? 0) }))
    yield* Console.log(`${id} is held: it is watched on, and nothing is stopped or launched until "souffleur go"`)
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
