import { digestOf } from "@souffleur/domain"
import { Effect, Redacted } from "effect"

/** Returns the digest of a token, which the store keeps in its place. */
export const tokenDigest = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  return yield* digestOf(`souffleur fleet ${Redacted.value(token)}`)
})
