import { Equal, Result } from "effect"
import { type Decision, Refused } from "@souffleur/eventlog"
import type { Permission } from "../settings/Permission.ts"
import { type Limits, lower, overreachOf, type Pace, type Pin, type Programs } from "../settings/Pin.ts"
import type { JobNote } from "../event/JobNote.ts"
import { ConfigOverreached, ConfigWithdrawn, type PinEvent, TrustGiven } from "../event/PinEvent.ts"

/** The part of the state of a watch or a run that holds its pin. */
export interface Pinned {
  readonly pin: Pin
  /** The part of the config file beyond the pin, as a person was told of it. */
  readonly overreach: Pick<typeof ConfigOverreached.Type, "said" | "keys"> | undefined
  /** What the caller of a watch said of it. Absent: of a run. */
  readonly note?: Pick<JobNote, "permission">
}

/** Returns the highest permission that the pin and the caller's own word allow. */
export const highest = ({ note, pin }: Pick<Pinned, "note" | "pin">): Permission =>
  lower(pin.ceiling, note?.permission ?? pin.ceiling)

/** The words about a pin: a report of the config file, and a person's trust. */
export type PinIntent =
  /** A report of the config file as it is now. The others are `null` where they were not read. */
  | {
      readonly _tag: "ReportConfig"
      readonly said: {
        readonly ceiling: Permission
        readonly limits: Limits | null
        readonly pace: Pace | null
        readonly programs: Programs | null
      }
    }
  | { readonly _tag: "Trust"; readonly pin: Pin }

type Command = PinIntent & { readonly now: number; readonly by: { readonly _tag: "Owner" | "Operator" } }
type PinDecision = Decision<PinEvent>

/**
 * Decides words about the pin. An excess of the file is told once, and again when it changes. Only a person's word
 * changes the pin. A pin that is in force already is no event.
 */
export const decidePin = ({ overreach, pin }: Pinned, command: Command): PinDecision => {
  const at = command.now
  if (command._tag === "Trust") {
    if (command.by._tag !== "Operator")
      return Result.fail(new Refused({ reason: "never", message: "only a person may change a ceiling or a program" }))
    return Result.succeed(
      Equal.equals(pin, command.pin) ? [] : [TrustGiven.make({ at, pin: command.pin, by: "config" })]
    )
  }
  const said = {
    ceiling: command.said.ceiling,
    limits: command.said.limits ?? overreach?.said.limits ?? pin.limits,
    pace: command.said.pace ?? overreach?.said.pace ?? pin.pace,
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

/**
 * Refuses a launch above the pinned ceiling (spec: behaviour#permission-ceiling); `undefined`: the launch is allowed.
 */
export const abovePin = (effective: Permission, held: Pick<Pinned, "note" | "pin">): Refused | undefined =>
  lower(effective, highest(held)) === effective
    ? undefined
    : new Refused({
        reason: "never",
        message: `permission ${effective} is above the ceiling in force, ${highest(held)}`
      })

/** Returns the excess of the file that remains under a new pin. */
const still = (overreach: Pinned["overreach"], pin: Pin): Pinned["overreach"] => {
  const keys = overreach === undefined ? [] : overreachOf(overreach.said, pin)
  return overreach === undefined || keys.length === 0 ? undefined : { said: overreach.said, keys }
}

/** Tells how each of these events changes the pin. */
export const evolvePin = {
  ConfigOverreached: ({ keys, said }: typeof ConfigOverreached.Type) => ({ overreach: { said, keys } }),
  ConfigWithdrawn: () => ({ overreach: undefined }),
  TrustGiven: ({ pin }: typeof TrustGiven.Type, { overreach }: Pinned): Omit<Pinned, "note"> => ({
    pin,
    overreach: still(overreach, pin)
  })
}
