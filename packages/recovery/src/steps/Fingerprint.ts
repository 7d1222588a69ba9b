import { digestOf, type Export, stepNames, type Watch } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { Effect, Schema } from "effect"
import { exportLimitsOf, NoExport } from "./ExportConversation.ts"
import { again, step } from "./Step.ts"
import { trim } from "../export/Trim.ts"

/** Identifies an export byte for byte. The log has no word of the export itself. */
export const Fingerprint = Schema.Struct({
  bytes: Schema.Int,
  /** SHA-256, hex. */
  digest: Schema.String
})
export type Fingerprint = typeof Fingerprint.Type

const unusable = ({ message }: { readonly message: string }) =>
  new NoExport({ message: `the export cannot be used: ${message}` })

/** Reads the fingerprint of an export of at most `maxBytes`: a regular file, private to this user, and no link. */
const fingerprint = Effect.fn("fingerprint")(function* (path: string, maxBytes: number) {
  const bytes = yield* Effect.mapError(readTrusted(path, { own: true, others: "nothing", atMost: maxBytes }), unusable)
  return { bytes: bytes.length, digest: yield* digestOf(bytes) } satisfies Fingerprint
})

/**
 * Fails with `NoExport` when an export was changed after it was made. A launch checks this right before it names the
 * export.
 */
export const unlessChanged = Effect.fn("Fingerprint.unlessChanged")(function* (path: string, made: Fingerprint) {
  const { digest } = yield* fingerprint(path, made.bytes)
  if (digest !== made.digest)
    return yield* new NoExport({ message: "the export was changed after it was made: it is not used" })
})

/** Trims an export to a count of characters, and returns its new fingerprint. Fails with `NoExport`. */
export const trimmed = Effect.fn("Fingerprint.trimmed")(function* (path: string, characters: number) {
  const { bytesAfter, leftOutBytes, trimmed } = yield* Effect.mapError(
    trim(path, characters),
    ({ message }) => new NoExport({ message })
  )
  return { trimmed, leftOutBytes, ...(yield* fingerprint(path, bytesAfter)) }
})

/** Trims an export to the limit: step 3 of a recovery. Fails with `NoExport` when it cannot be read or written. */
export const trimExport = Effect.fn("trimExport")(function* (watch: Watch, { path }: Export) {
  return yield* step(stepNames.trim, {
    outcome: Schema.Struct({ trimmed: Schema.Boolean, leftOutBytes: Schema.Int, ...Fingerprint.fields }),
    failure: NoExport,
    act: () => Effect.flatMap(exportLimitsOf(watch), ({ limits }) => trimmed(path, limits.trim_chars)),
    reconcile: again
  })
})
