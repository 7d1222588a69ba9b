import { Agent, freshUuid, unknownSession } from "@souffleur/domain"
import { Effect } from "effect"

/** Makes the id of the session that a launch begins. It is unknown where the agent chooses it. */
export const sessionToBegin = Effect.gen(function* () {
  const { sessionOf } = yield* Agent
  return sessionOf === undefined ? yield* freshUuid : unknownSession
})
