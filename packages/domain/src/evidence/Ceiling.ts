import { Effect } from "effect"
import type { Permission } from "../settings/Permission.ts"
import { lower } from "../settings/Pin.ts"
import type { Pinned, PinIntent } from "../decide/PinDecider.ts"
import { CycleSettings } from "../settings/Settings.ts"

/**
 * The ceiling at this very moment: the one that is pinned, or the config file's where that is lower (spec:
 * behaviour#permission-ceiling). What the file asks for beyond it is told.
 */
export const ceilingNow = Effect.fn("ceilingNow")(function* <State extends Pinned, E, R>(
  dispatch: (intent: Extract<PinIntent, { readonly _tag: "ReportConfig" }>) => Effect.Effect<State, E, R>
) {
  const { maxExternalPermission: ceiling, said } = yield* yield* CycleSettings
  const { pin } = yield* dispatch({ _tag: "ReportConfig", said: { ceiling, programs: said?.programs ?? null } })
  return lower(pin.ceiling, ceiling) satisfies Permission
})
