import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur, statusLine } from "@souffleur/embed/internal"
import { invocation } from "@souffleur/plan"
import { Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { personOnly, signOfAgent } from "../person/PersonOnly.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Ends a hold, or a wait before its time (spec: command-line#watches). A hold and a run take a person's word. */
export const goCommand = Command.make(
  "go",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const souffleur = yield* Souffleur
    const name = namedIn(yield* Project, flags.watch)
    const plan = Option.filter(
      yield* Effect.option(souffleur.findPlan(name)),
      ({ run }) => (run.wait ?? run.held ?? run.stop) !== null
    )
    if (Option.isSome(plan)) {
      yield* personOnly("go")
      const { id, run } = plan.value
      yield* souffleur.answer(id, { wait: "over" })
      if (flags.json) return yield* Console.log(JSON.stringify({ run: id }))
      const how =
        run.owner === null
          ? `when it is conducted again: ${invocation(run)}`
          : run.wait === null
            ? "now"
            : "now: its agent is asked again"
      return yield* Console.log(`run ${id} goes on ${how}`)
    }
    const { id } = yield* souffleur.find(name)
    const watch = yield* souffleur.go(id, { byAgent: (yield* signOfAgent) !== undefined })
    const cycle = watch.recovery?.cycle ?? null
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, cycle }))
    const whenOwned = watch.owner === undefined ? ' when souffleur runs again: "souffleur watch"' : ""
    yield* Console.log(
      cycle === null ? `${id} goes on: ${statusLine(watch)}` : `${id} goes on: recovery ${cycle} begins${whenOwned}`
    )
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
