import { Settings } from "@souffleur/domain"
import { membershipOf } from "@souffleur/fleet"
import { Effect, Option } from "effect"
import { BadUsage } from "../Failure.ts"

/** The fleet of this state folder. Fails with `BadUsage` where it belongs to none. */
export const joinedFleet = Effect.gen(function* () {
  const { stateDir } = yield* Settings
  const found = yield* membershipOf(stateDir)
  if (Option.isSome(found)) return found.value
  return yield* new BadUsage({ message: 'this host belongs to no fleet: "souffleur fleet join URL" adds it to one' })
})
