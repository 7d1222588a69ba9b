import { Settings } from "@souffleur/domain"
import { replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Schema } from "effect"

const Intent = Schema.Struct({
  reason: Schema.Literals(["died", "silent"]),
  /** The fence of the owner that is replaced. */
  over: Schema.Int
})
/** Why a souffleur is to be replaced, and the fence under which it owned its watch. */
export type RestoreIntent = typeof Intent.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Intent))

const fileOf = Effect.fnUntraced(function* (id: string) {
  const path = yield* Path.Path
  const { stateDir } = yield* Settings
  return path.join(stateDir, "restorations", `${id}.json`)
})

/**
 * Keeps the intent outside the log, which a souffleur that was stopped in mid-write holds. It is the evidence before a
 * kill (spec: behaviour#guardian). There is one file for each watch (0600), written whole or not at all, on disk when
 * this succeeds. Fails with `PlatformError`.
 */
export const keepIntent = Effect.fn("keepIntent")(function* (id: string, intent: RestoreIntent) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = yield* fileOf(id)
  yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
  yield* replaceDurably(file, JSON.stringify(intent))
})

/** Reads the kept intent for the owner of that fence. `None`: there is none. */
export const intentOf = Effect.fn("intentOf")(function* (id: string, fence: number) {
  const text = yield* Effect.option(
    Effect.flatMap(fileOf(id), (file) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(file)))
  )
  return Option.filter(Option.flatMap(text, decode), ({ over }) => over === fence)
})

/** Removes the intent of a watch: the log has it, or its owner is no longer the owner. */
export const forgetIntent = Effect.fn("forgetIntent")(function* (id: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.ignore(fs.remove(yield* fileOf(id), { force: true }))
})
