import { Context, Effect } from "effect"
import { Digest } from "effect/crypto"

/** Returns the SHA-256 of bytes, hex. A simulated world waits for nothing real, and brings its own. */
export const Hashing = Context.Reference<(bytes: Uint8Array) => Effect.Effect<string>>("@souffleur/domain/Hashing", {
  defaultValue: () => (bytes) =>
    Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, bytes)).pipe(Effect.provide(Digest.layerWebCrypto))
})

/** Returns the SHA-256 of a text or of bytes, hex. The log holds it in place of words that it must not hold. */
export const digestOf = (what: string | Uint8Array): Effect.Effect<string> =>
  Effect.flatMap(Hashing, (hash) => hash(typeof what === "string" ? new TextEncoder().encode(what) : what))
