import { estimate, type EstimateFailed } from "@souffleur/recovery"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Ended } from "../Failure.ts"
import { json } from "./Options.ts"

/** Prints the estimate of an export. It ends with 2 where there is none (spec: command-line#plumbing). */
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
              Console.log(JSON.stringify({ ok: false, error: error.message })),
              Effect.fail(new Ended({ code: 2 }))
            )
          : Effect.fail(error)
    )
    if (json) return yield* Console.log(JSON.stringify(found))
    yield* Console.log(
      `${found.estimated_tokens} tokens in scope (${found.start_mode}), ${found.estimated_tokens_full} in the whole file, ${found.marker_count} markers`
    )
    yield* Effect.forEach(found.warnings, (warning) => Console.error(`warning: ${warning}`))
  })
)
