import { Comms } from "@souffleur/domain"
import { Effect, Layer, Option } from "effect"
import { remark } from "../Remark.ts"

/**
 * Comms that remarks when it can no longer be read and why, and when it can again. A lock passes, and
 * is not told.
 */
export const layer: Layer.Layer<Comms, never, Comms> = Layer.effect(
  Comms,
  Effect.map(Comms, (comms) => {
    let out = Option.none<string>()
    const snapshot = comms.snapshot.pipe(
      Effect.tapError(({ message, reason }) => {
        if (reason === "locked" || Option.contains(out, reason)) return Effect.void
        out = Option.some(reason)
        return remark("warning", `comms is out, and the watch goes on without it: ${message}`)
      }),
      Effect.tap(() => {
        if (Option.isNone(out)) return Effect.void
        out = Option.none()
        return remark("info", `${comms.path} can be read again`)
      })
    )
    return Comms.of({ ...comms, snapshot })
  })
)
