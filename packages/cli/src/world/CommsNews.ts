import { Comms } from "@souffleur/domain"
import { Console, Effect, Layer, Option } from "effect"

/**
 * Comms that prints on standard error when it can no longer be read and why, and when it can again. A lock passes, and
 * is not printed.
 */
export const layer: Layer.Layer<Comms, never, Comms> = Layer.effect(
  Comms,
  Effect.map(Comms, (comms) => {
    let out = Option.none<string>()
    const snapshot = comms.snapshot.pipe(
      Effect.tapError(({ message, reason }) => {
        if (reason === "locked" || Option.contains(out, reason)) return Effect.void
        out = Option.some(reason)
        return Console.error(`warning: comms is out, and the watch goes on without it: ${message}`)
      }),
      Effect.tap(() => {
        if (Option.isNone(out)) return Effect.void
        out = Option.none()
        return Console.error(`${comms.path} can be read again`)
      })
    )
    return Comms.of({ ...comms, snapshot })
  })
)
