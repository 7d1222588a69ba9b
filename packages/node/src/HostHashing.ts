import { Hashing } from "@souffleur/domain"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"

/**
 * Hashes at once, by Node itself. The hash of the web platform is asynchronous. For the many short texts of a log it
 * takes several times as long.
 */
export const layer: Layer.Layer<never> = Layer.succeed(Hashing, (bytes) =>
  Effect.sync(() => createHash("sha256").update(bytes).digest("hex"))
)
