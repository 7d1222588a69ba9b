import { Comms } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { Completed } from "../Provider.ts"

/**
 * Reads comms again right before a stop and a launch. Fails with `Completed` when the state is `complete`, which
 * cancels the recovery; a comms that is out does not (spec: behaviour#completion).
 */
export const unlessComplete = Effect.gen(function* () {
  const comms = yield* Comms
  const snapshot = yield* Effect.option(comms.snapshot)
  const conductor = Option.flatMap(snapshot, ({ conductor }) => conductor)
  if (Option.isSome(conductor) && conductor.value.state === "complete") return yield* new Completed()
  return snapshot
})
