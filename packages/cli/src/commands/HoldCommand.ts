import { iso } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { personOnly, signOfAgent } from "../person/PersonOnly.ts"
import { findJob } from "./NamedJob.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/**
 * Holds a watch: nothing is stopped or launched until `go` (spec: behaviour#hold). Holds a run: nothing further begins
 * (spec: behaviour#a-persons-word-to-a-run).
 */
export const holdCommand = Command.make(
  "hold",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const souffleur = yield* Souffleur
    const found = yield* findJob(souffleur, namedIn(yield* Project, flags.watch))
    const { id } = found
    if ("run" in found) {
      yield* personOnly("souffleur hold of a run")
      const { assignments, held } = yield* souffleur.answer(id, { hold: "until go" })
      if (flags.json) return yield* Console.log(JSON.stringify({ run: id, held_since: iso(held?.since ?? 0) }))
      const working = [...new Set(assignments.map(({ role }) => role))].join(" and ")
      const after = working === "" ? "" : ` after its ${working}`
      return yield* Console.log(`run ${id} is held: nothing further begins${after} until "souffleur go"`)
    }
    const { held } = yield* souffleur.hold(id, { byAgent: (yield* signOfAgent) !== undefined })
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, held_since: iso(held?.since ?? 0) }))
    yield* Console.log(`${id} is held: it is watched on, and nothing is stopped or launched until "souffleur go"`)
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
