import { Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import { digestOf } from "@souffleur/domain"
import { createDurably } from "./DurableFile.ts"
import { readTrusted } from "./TrustedFiles.ts"

/** Bytes that are read back: what is written is a prompt, which a launch takes as one argument. */
const most = 131_072

/** The words of a request could not be kept: no request was made. */
export class HandoffUnwritten extends Schema.TaggedError<HandoffUnwritten>()("HandoffUnwritten", {
  message: Schema.String
}) {}

const fileOf = Effect.fnUntraced(function* (stateDir: string, request: string) {
  const path = yield* Path.Path
  return path.join(stateDir, "requests", `${request}.txt`)
})

/**
 * Keeps what an agent says with its own request for a handoff: a file (0600) of the state folder under an id that
 * nobody else has, on disk before the request is in the log, which gets the digest alone (spec:
 * behaviour#words-of-the-agent). Succeeds with that.
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
 * What was said with a request; `None` where its file is gone, is not this user's alone, or is another than the one
 * that the log knows.
 */
export const readHandoffFile = Effect.fn("readHandoffFile")(function* (
  stateDir: string,
  { digest, request }: { readonly request: string; readonly digest: string }
) {
  const bytes = yield* Effect.option(
    readTrusted(yield* fileOf(stateDir, request), { own: true, others: "nothing", atMost: most })
  )
  return Option.isSome(bytes) && (yield* digestOf(bytes.value)) === digest
    ? Option.some(new TextDecoder().decode(bytes.value))
    : Option.none<string>()
})

/** The successor has heard it: nobody reads it any more. What cannot be removed stays its user's alone. */
export const forgetHandoffFile = Effect.fn("forgetHandoffFile")(function* (stateDir: string, request: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.ignore(fs.remove(yield* fileOf(stateDir, request), { force: true }))
})
