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
  Effect.fnUntraced(function* ({ follow, watch }) {
    const souffleur = yield* Souffleur
    const { close, print } = yield* makePartPrinter
    yield* souffleur.output(namedIn(yield* Project, watch), { follow }).pipe(
      Stream.runForEach(print),
      Effect.catchTag("NoOutput", ({ id, message }) =>
        Effect.fail(new BadUsage({ message: `${message}: "souffleur status ${id}" has its last words` }))
      )
    )
    yield* close
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
