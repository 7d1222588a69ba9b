import { estimate, type EstimateFailed } from "@souffleur/recovery"
import { Console, Effect, FileSystem, Runtime } from "effect"
import { Argument, Command } from "effect/cli"
import { Ended } from "../Failure.ts"
import { json } from "./Options.ts"

/** Prints the estimate of an export (spec: command-line#plumbing). */
export const estimateCommand = Command.make(
  "estimate",
  { file: Argument.String("file").pipe(Argument.withDescription("An export, or any Markdown")), json },
  Effect.fnUntraced(function* ({ file, json }) {
    const found = yield* Effect.catchTag(
      estimate(file),
      "EstimateFailed",
      (error): Effect.Effect<never, EstimateFailed | Ended> =>
        json
          ? Effect.andThen(
              Console.log(JSON.stringify({ ok: false, error: error.message, warnings: [] })),
              Effect.fail(new Ended({ code: error[Runtime.errorExitCode] }))
            )
          : Effect.fail(error)
    )
    if (json) {
      const source = yield* FileSystem.FileSystem.use((fs) => fs.realPath(file))
      return yield* Console.log(JSON.stringify({ ok: true, ...found, source }))
    }
    yield* Console.log(
      `${found.estimated_tokens} tokens in scope (${found.start_mode}), ${found.estimated_tokens_full} in the whole file, ${found.marker_count} markers`
    )
    yield* Effect.forEach(found.warnings, (warning) => Console.error(`warning: ${warning}`))
  })
)
