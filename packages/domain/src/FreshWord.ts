import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Hex from "effect/encoding/Hex"

const drawn = <A>(draw: (random: SecureRandom.SecureRandom["Service"]) => Effect.Effect<A>): Effect.Effect<A> =>
  SecureRandom.SecureRandom.use(draw).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** Draws an unpredictable UUID, version 4 (RFC 9562). A test replaces Effect's `WebCrypto`. */
export const freshUuid: Effect.Effect<string> = drawn((random) => random.uuidV4())

/** Draws unpredictable bytes, in hex. A test replaces Effect's `WebCrypto`. */
export const freshHex = (bytes: number): Effect.Effect<string> =>
  drawn((random) => Effect.map(random.randomBytes(bytes), Hex.encode))
