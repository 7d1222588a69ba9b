import type { Restoration } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { BadUsage } from "../Failure.ts"

/**
 * Reads `died:3`: the reason that a guardian saw, and the fence of the owner then. Fails with `BadUsage` for another
 * word.
 */
export const restorationOf = (flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.succeed(Option.none<Restoration>())
  const [, reason, over] = /^(died|silent):(\d{1,15})$/u.exec(flag.value) ?? []
  return reason === undefined
    ? Effect.fail(new BadUsage({ message: "--restored is for the guardian alone: leave it out" }))
    : Effect.succeed(Option.some<Restoration>({ reason: reason as Restoration["reason"], over: Number(over) }))
}
