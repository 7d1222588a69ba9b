import { type Printed, Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { byteString, type ShownOutput } from "@souffleur/process"
import { Effect, Layer, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { makeOutputWriter } from "../watching/FollowOutput.ts"
import { namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Makes what prints an output, each part of it to its own stream. */
const makePrinter = Effect.gen(function* () {
  const { onTerminal, plainAgain, terminal, write } = yield* makeOutputWriter
  let shown: Partial<Record<Printed["on"], ShownOutput>> = {}
  let last = ""
  const end = Effect.suspend(() => {
    const ended = (["stdout", "stderr"] as const).map((on) => write(shown[on]?.end() ?? "", on))
    shown = {}
    return Effect.all(ended, { discard: true })
  })
  return {
    print: Effect.fnUntraced(function* ({ bytes, launchId, on }: Printed) {
      if (launchId !== last) yield* end
      last = launchId
      yield* write(terminal[on] ? (shown[on] ??= onTerminal(on)).push(bytes) : byteString.of(bytes), on)
    }),
    close: Effect.andThen(end, plainAgain)
  }
})

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
    const { close, print } = yield* makePrinter
    yield* souffleur.output(namedIn(yield* Project, watch), { follow }).pipe(
      Stream.runForEach(print),
      Effect.catchTag("NoOutput", ({ id, message }) =>
        Effect.fail(new BadUsage({ message: `${message}: "souffleur status ${id}" has its last words` }))
      )
    )
    yield* close
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
