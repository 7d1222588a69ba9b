import { runProgram } from "@souffleur/process"
import { Duration, Effect, Schema } from "effect"

const Line = Schema.NonEmptyArray(Schema.String)
/** A program and its arguments. */
export type ClickLine = typeof Line.Type

/** A notice with an action, and the line that its choice runs, as the process that waits reads it. */
export const ClickOrder = Schema.Struct({ notice: Line, chosen: Line })
export type ClickOrder = typeof ClickOrder.Type

/** A click on the notice itself is the choice of the action "default". */
export const clickAction = "--action=default=Show the window"

/** Time for a choice. The process that waits ends then, and the notice with its action. */
export const clickTimeout = Duration.minutes(10)

const run = (line: ClickLine, within: Duration.Input) =>
  runProgram({ command: JSON.stringify(line), args: [], stdin: "", within, atMost: 4096 })

/**
 * Runs the line of a notice that waits for a choice, and then the line of its action. A notice that is closed, or not
 * shown, runs nothing. It never fails.
 */
export const waitForClick = Effect.fn("waitForClick")(
  function* ({ chosen, notice }: ClickOrder) {
    const action = yield* run(notice, clickTimeout)
    if (action.trim() === "default") yield* run(chosen, "30 seconds")
  },
  (effect) => Effect.ignore(effect)
)

const read = Schema.decodeUnknownEffect(Schema.fromJsonString(ClickOrder))

/** Answers the line of an order with an empty line, once all is done. It is the own side of the process that waits. */
export const answerClick = (order: string) =>
  read(order).pipe(Effect.orDie, Effect.flatMap(waitForClick), Effect.as(""))
