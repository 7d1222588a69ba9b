import { Effect } from "effect"
import { Digest, SecureRandom } from "effect/crypto"

/**
 * Words that one launch alone is given: what an agent says with its word is its own, and nothing that it read and
 * repeats. A word is in the prompt and nowhere else; the log has its digest, by which whoever conducts then knows it,
 * and which tells it to nobody.
 */
export interface LaunchWords {
  /** A word that was never given before: 80 bits, in hex. */
  readonly fresh: Effect.Effect<string>
  /** SHA-256, in hex. */
  readonly digest: (word: string) => Effect.Effect<string>
}

export const launchWords: Effect.Effect<LaunchWords> = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  return {
    fresh: Effect.map(random.randomBytes(10), (bytes) =>
      Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    ),
    digest: (word: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(word))
  }
}).pipe(Effect.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto]))
