import { Effect } from "effect"
import type { Permission } from "../settings/Permission.ts"
import { lower } from "../settings/Pin.ts"
import type { Pinned, PinIntent } from "../decide/PinDecider.ts"
import { CycleSettings } from "../settings/Settings.ts"

/**
 * Returns the ceiling at this moment: the lower of the pinned ceiling and the config file's (spec:
 * behaviour#permission-ceiling). Reports an excess of the file to the watch or run.
 */
export const ceilingNow = Effect.fn("ceilingNow")(function* <State extends Pinned, E, R>(
  dispatch: (intent: Extract<PinIntent, { readonly _tag: "ReportConfig" }>) => Effect.Effect<State, E, R>
) {
  const { maxExternalPermission: ceiling, said } = yield* yield* CycleSettings
  const { pin } = yield* dispatch({
    _tag: "ReportConfig",
    said: { ceiling, limits: said?.limits ?? null, pace: said?.pace ?? null, programs: said?.programs ?? null }
  })
  return lower(pin.ceiling, ceiling) satisfies Permission
})
