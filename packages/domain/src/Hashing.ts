import { Context, Effect } from "effect"
import { Digest } from "effect/crypto"

/** SHA-256 of bytes, hex. A simulated world, which waits for nothing real, brings its own. */
export const Hashing = Context.Reference<(bytes: Uint8Array) => Effect.Effect<string>>("@souffleur/domain/Hashing", {
  defaultValue: () => (bytes) =>
    Digest.Digest.use((digest) => digest.digestHex(Digest.sha256, bytes)).pipe(Effect.provide(Digest.layerWebCrypto))
})

/** SHA-256 of a text or of bytes, hex: what the log has of words that it must not hold. */
export const digestOf = (what: string | Uint8Array): Effect.Effect<string> =>
  Effect.flatMap(Hashing, (hash) => hash(typeof what === "string" ? new TextEncoder().encode(what) : what))
