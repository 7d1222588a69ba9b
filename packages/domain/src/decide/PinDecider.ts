import { Equal, Result } from "effect"
import { type Decision, Refused } from "@souffleur/eventlog"
import type { Permission } from "../settings/Permission.ts"
import { lower, overreachOf, type Pin, type Programs } from "../settings/Pin.ts"
import { ConfigOverreached, ConfigWithdrawn, type PinEvent, TrustGiven } from "../event/PinEvent.ts"

/** What a watch and a run have of it. */
export interface Pinned {
  readonly pin: Pin
  /** What the config file asks for beyond it, as a person was told. */
  readonly overreach: Pick<typeof ConfigOverreached.Type, "said" | "keys"> | undefined
}

export type PinIntent =
  /** What the config file says now; `programs` is `null` where nobody has read them. */
  | {
      readonly _tag: "ReportConfig"
      readonly said: { readonly ceiling: Permission; readonly programs: Programs | null }
    }
  | { readonly _tag: "Trust"; readonly pin: Pin }

type Command = PinIntent & { readonly now: number; readonly by: { readonly _tag: "Owner" | "Operator" } }
type PinDecision = Decision<PinEvent>

/**
 * What the file asks for is told once, and again when it asks for something else; only a person's word changes what is
 * pinned, and what is pinned already is no event.
 */
export const decidePin = ({ overreach, pin }: Pinned, command: Command): PinDecision => {
  const at = command.now
  if (command._tag === "Trust") {
    if (command.by._tag !== "Operator")
      return Result.fail(
        new Refused({ reason: "never", message: "only a person's word changes the ceiling or a program" })
      )
    return Result.succeed(
      Equal.equals(pin, command.pin) ? [] : [TrustGiven.make({ at, pin: command.pin, by: "config" })]
    )
  }
  const said = {
    ceiling: command.said.ceiling,
    programs: command.said.programs ?? overreach?.said.programs ?? pin.programs
  }
  const keys = overreachOf(said, pin)
  if (keys.length === 0) return Result.succeed(overreach === undefined ? [] : [ConfigWithdrawn.make({ at })])
  return Result.succeed(
    Equal.equals(overreach?.said.programs, said.programs) && Equal.equals(overreach?.keys, keys)
      ? []
      : [ConfigOverreached.make({ at, said, keys })]
  )
}

/** No launch is above what is pinned (spec: behaviour#permission-ceiling). */
export const abovePin = (effective: Permission, { pin }: Pick<Pinned, "pin">): Refused | undefined =>
  lower(effective, pin.ceiling) === effective
    ? undefined
    : new Refused({ reason: "never", message: `permission ${effective} is above the ceiling in force, ${pin.ceiling}` })

/** What a person now allows is no longer asked for. */
const still = (overreach: Pinned["overreach"], pin: Pin): Pinned["overreach"] => {
  const keys = overreach === undefined ? [] : overreachOf(overreach.said, pin)
  return overreach === undefined || keys.length === 0 ? undefined : { said: overreach.said, keys }
}

/** How each of these events changes what is pinned. */
export const evolvePin = {
  ConfigOverreached: ({ keys, said }: typeof ConfigOverreached.Type) => ({ overreach: { said, keys } }),
  ConfigWithdrawn: () => ({ overreach: undefined }),
  TrustGiven: ({ pin }: typeof TrustGiven.Type, { overreach }: Pinned): Pinned => ({
    pin,
    overreach: still(overreach, pin)
  })
}
