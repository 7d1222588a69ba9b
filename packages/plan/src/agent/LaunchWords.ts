import { Effect } from "effect"
import { Digest, SecureRandom } from "effect/crypto"

/**
 * Words that belong to one launch each. A verdict with its word is the agent's own, and no text that it read and
 * repeats. A word is in the prompt and nowhere else. The log has its digest: a later conductor recognizes the word by
 * it, and no reader learns the word.
 */
export interface LaunchWords {
  /** Makes a word that was never given before: 80 random bits, in hex. */
  readonly fresh: Effect.Effect<string>
  /** SHA-256 of a word, in hex. */
  readonly digest: (word: string) => Effect.Effect<string>
}

/** Makes the words that prove a verdict to be of its launch: 80 random bits each. */
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
