import { Agent, unknownSession } from "@souffleur/domain"
import { Effect, Random } from "effect"

/** Makes a session id for a fresh session: a UUID, version 4 (RFC 9562), from Effect's Random. */
export const freshSessionId = Effect.gen(function* () {
  const bytes = yield* Effect.replicateEffect(Random.nextIntBetween(0, 255), 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
})

/** Makes the id of the session that a launch begins. It is unknown where the agent chooses it. */
export const sessionToBegin = Effect.gen(function* () {
  const { sessionOf } = yield* Agent
  return sessionOf === undefined ? yield* freshSessionId : unknownSession
})
