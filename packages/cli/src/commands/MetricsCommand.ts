import { layerHost, layerStore, logMetrics } from "@souffleur/embed/internal"
import { replaceDurably } from "@souffleur/process"
import { Effect, Layer, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { withProgressLine } from "../explain/Progress.ts"
import { BadUsage } from "../Failure.ts"
import { printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir } from "./Options.ts"
import { withLayers } from "./ProjectCommand.ts"

/** A collector of another user reads the file. It has no word of a conversation. */
const mode = 0o644

/** Prints the numbers of the log for Prometheus, or writes them to a file (spec: command-line#metrics). */
export const metricsCommand = Command.make(
  "metrics",
  {
    projectDir,
    file: Flag.String("file").pipe(
      Flag.withDescription("Replace this file, such as for the text files of the node exporter"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const { families, text } = yield* withProgressLine("reading the log")(logMetrics)
    if (Option.isSome(flags.file)) {
      const { cwd } = yield* Environment
      const file = (yield* Path.Path).resolve(cwd, flags.file.value)
      return yield* Effect.mapError(
        replaceDurably(file, text, mode),
        () => new BadUsage({ message: `${file} cannot be written: name a file in a folder that is there` })
      )
    }
    yield* flags.json ? printJson(families) : printLines(text.trimEnd())
  })
).pipe(withLayers((settings) => Layer.merge(layerStore(settings), layerHost)))
