import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerClaims, layerSouffleur } from "@souffleur/embed/internal"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { keepWatches } from "../watching/KeepWatches.ts"
import { resumed, tell } from "../watching/ResumeWatch.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Resumes a watch that has no living souffleur, or all such watches (spec: command-line#watches). */
export const resumeCommand = Command.make(
  "resume",
  {
    watch: watchName,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Every unfinished watch that has no souffleur, of any folder"),
      Flag.withDefault(false)
    ),
    keep: Flag.Boolean("keep").pipe(
      Flag.withDescription("With --all: stay, and look again at each WATCHER_INTERVAL"),
      Flag.withDefault(false)
    ),
    moved: Flag.Boolean("moved").pipe(
      Flag.withDescription("Its state folder was moved here, and the machine of its last souffleur is gone"),
      Flag.withDefault(false)
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* ({ all, json: asJson, keep, moved, watch: name }) {
    if (moved) yield* personOnly("souffleur resume --moved")
    if (moved && all) return yield* new BadUsage({ message: "--moved is a word about one watch: name it" })
    if ((all && name._tag === "Some") || (keep && !all))
      return yield* new BadUsage({ message: "name one watch, or say --all, with --keep where it should stay" })
    if (keep) return yield* Effect.asVoid(keepWatches)
    const souffleur = yield* Souffleur
    const found = all ? yield* souffleur.living : [yield* souffleur.find(namedIn(yield* Project, name))]
    const [first] = found
    if (!all && first?.watch.phase === "Exited")
      return yield* new BadUsage({ message: `watch ${first.id} has ended: ${first.watch.end}` })
    if (moved && first !== undefined) yield* souffleur.moveHere(first.id)
    const results = yield* Effect.forEach(found, (one) => resumed(one, undefined))
    if (asJson) yield* printJson(results)
    else if (results.length === 0) yield* Console.log("No watch is unfinished.")
    else yield* tell(results)
    if (results.some(({ outcome }) => outcome === "failed")) return yield* new Ended({ code: 1 })
  })
).pipe(
  withLayers((settings) =>
    layerClaims.pipe(Layer.provideMerge(layerAgentFiles(settings)), Layer.provideMerge(layerSouffleur(settings)))
  ),
  Command.withExamples([{ command: "souffleur resume --all", description: "After a reboot" }])
)
