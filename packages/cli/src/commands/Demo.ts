import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { demo } from "../demo/Demo.ts"
import { Ended } from "../Failure.ts"

export const demoCommand = Command.make(
  "demo",
  {},
  Effect.fnUntraced(function* () {
    yield* Effect.catchTag(demo(), "DemoFailed", ({ why }) =>
      Effect.andThen(Console.error(`souffleur: the demo failed: ${why}`), Effect.fail(new Ended({ code: 1 })))
    )
  })
).pipe(Command.withDescription("The main job on real processes, in a temporary folder, narrated"))
