import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Effect, Layer, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { makePartPrinter } from "../watching/OutputWriter.ts"
import { namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Prints what an agent or a command printed, each part to its own stream (spec: command-line#output). */
export const outputCommand = Command.make(
  "output",
  {
    watch: watchName,
    projectDir,
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Go on with what it prints, to the end of the watch"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (flags) {
    const souffleur = yield* Souffleur
    const { close, print } = yield* makePartPrinter
    const { id, watch } = yield* souffleur.find(namedIn(yield* Project, flags.watch))
    yield* souffleur.output(id, { follow: flags.follow }).pipe(
      Stream.runForEach(print),
      Effect.catchTag("NoOutput", ({ message }) => {
        const next =
          watch.phase === "Exited"
            ? `"souffleur status ${id}" has its last words`
            : `"souffleur attach ${id}" goes to its window`
        return Effect.fail(new BadUsage({ message: `${message}: ${next}` }))
      })
    )
    yield* close
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
