import { Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import { digestOf } from "@souffleur/domain"
import { createDurably } from "./DurableFile.ts"
import { readTrusted } from "./TrustedFiles.ts"

/** Most bytes that are read back: the text is a prompt, which a launch passes as one argument. */
const maxBytes = 131_072

/** The words of a request could not be kept, so no request was made. */
export class HandoffUnwritten extends Schema.TaggedError<HandoffUnwritten>()("HandoffUnwritten", {
  message: Schema.String
}) {}

const fileOf = Effect.fnUntraced(function* (stateDir: string, request: string) {
  const path = yield* Path.Path
  return path.join(stateDir, "requests", `${request}.txt`)
})

/**
 * Keeps the words of an agent with its own request for a hand-off. They go to a file (0600) in the state folder under a
 * unique id. It is on disk before the request is in the log (spec: behaviour#words-of-the-agent).
 *
 * Returns the digest, which is all that the log gets. Fails with `HandoffUnwritten`.
 */
export const writeHandoffFile = Effect.fn("writeHandoffFile")(
  function* (stateDir: string, request: string, text: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = yield* fileOf(stateDir, request)
    const bytes = new TextEncoder().encode(text)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    yield* createDurably(file, bytes)
    return yield* digestOf(bytes)
  },
  Effect.catchTag("PlatformError", (error: PlatformError.PlatformError) =>
    Effect.fail(new HandoffUnwritten({ message: error.message }))
  )
)

/**
 * Reads the words of a request. `None`: the file is gone, is readable by other users, or does not have the digest of
 * the log.
 */
export const readHandoffFile = Effect.fn("readHandoffFile")(function* (
  stateDir: string,
  { digest, request }: { readonly request: string; readonly digest: string }
) {
  const bytes = yield* Effect.option(
    readTrusted(yield* fileOf(stateDir, request), { own: true, others: "nothing", atMost: maxBytes })
  )
  return Option.isSome(bytes) && (yield* digestOf(bytes.value)) === digest
    ? Option.some(new TextDecoder().decode(bytes.value))
    : Option.none<string>()
})

/**
 * Removes the words of a request that the successor has read. A file that cannot be removed stays private to its user.
 */
export const forgetHandoffFile = Effect.fn("forgetHandoffFile")(function* (stateDir: string, request: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.ignore(fs.remove(yield* fileOf(stateDir, request), { force: true }))
})
