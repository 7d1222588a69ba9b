import { freshHex } from "@souffleur/domain"
import { keepPageServed, keepPageToken, pageSecretOf, pageToken, replaceDurably } from "@souffleur/process"
import { Effect, Path } from "effect"
import { Mac } from "effect/crypto"

/** The name of the file with the token of a collector, in the state folder. */
const collectorFile = "metrics.token"

/** The secrets of a page. The others are derived from the token, a browser's also from a number of the page. */
export interface PageSecrets {
  /** Is in the link alone. */
  readonly token: string
  /** The value of the cookie that the link is traded for. */
  readonly cookie: string
  /** Is in each form. */
  readonly form: string
  /** Is for a collector. It opens the numbers alone, and leads to no other secret. */
  readonly metrics: string
  /**
   * Begins each path, and bounds the cookie. A browser sends a cookie to every port of a host. Another user's server on
   * this machine would get it without that bound.
   */
  readonly path: string
}

/** Reads the token, and makes one where there is none. Fails with `FileRefused` where others could read it. */
const keptToken = Effect.fnUntraced(function* (stateDir: string) {
  const kept = yield* pageToken(stateDir)
  if (kept !== undefined) return kept
  const token = yield* freshHex(32)
  yield* keepPageToken(stateDir, token)
  return token
})

/**
 * Returns the secrets of the page of a state folder, until the scope closes. Its token is kept in a file (0600): a link
 * stays valid until that is removed. An open page outlives a restart of the page, and no gap. Fails with `FileRefused`
 * where others could read the file, and with `PlatformError` where it cannot be written.
 */
export const pageSecrets = Effect.fn("pageSecrets")(function* (stateDir: string, origin: string) {
  const token = yield* keptToken(stateDir)
  const number = yield* keepPageServed(stateDir, origin, yield* freshHex(32))
  const ofBrowser = (name: string) => pageSecretOf(`${name} ${number}`, token)
  const metrics = yield* pageSecretOf("metrics", token)
  yield* replaceDurably((yield* Path.Path).join(stateDir, collectorFile), `${metrics}\n`)
  return {
    token,
    cookie: yield* ofBrowser("cookie"),
    form: yield* ofBrowser("form"),
    metrics,
    path: `/${(yield* ofBrowser("path")).slice(0, 20)}`
  } satisfies PageSecrets
})

/** Returns whether a word is the secret, in a time that depends on its length alone. */
export const isSameSecret = (secret: string, word: string | undefined): boolean =>
  word !== undefined && Mac.timingSafeEqual(new TextEncoder().encode(word), new TextEncoder().encode(secret))
