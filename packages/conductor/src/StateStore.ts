import { Effect, FileSystem, Path, Result, Schema } from "effect"
import type { Run } from "./Run.ts"
import { readState, type StateJson, stateText } from "./StateFile.ts"

/** What stands under the state file's name is somebody else's, and is left as it is. */
export class StateForeign extends Schema.TaggedError<StateForeign>()("StateForeign", { path: Schema.String, why: Schema.String }) {}

export const stateForeign = (path: string) =>
  new StateForeign({ path, why: "it is no state file of this kind: name another with --state, or move it away" })

export type Found =
  | { readonly _tag: "State"; readonly state: StateJson; readonly text: string }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Corrupt" }
  | { readonly _tag: "Foreign" }

/** Bytes of a state file that is read. */
const largest = 16_000_000

export const backupOf = (path: string): string => `${path}.backup`

/** What is there; a file that cannot be read is foreign: it is not written over. */
const look = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Found, never, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.gen(function* () {
    if (Number((yield* fs.stat(path)).size) > largest) return null
    return yield* fs.readFileString(path)
  }).pipe(Effect.catch(({ reason }) => Effect.succeed(reason._tag === "NotFound" ? undefined : null)))
  if (text === undefined) return { _tag: "Missing" }
  if (text === null) return { _tag: "Foreign" }
  return Result.match(readState(text), {
    onFailure: (why): Found => (why === "corrupt" ? { _tag: "Corrupt" } : { _tag: "Foreign" }),
    onSuccess: (state): Found => ({ _tag: "State", state, text })
  })
})

/** The state file and its backup, as they are. */
export const lookAtState = Effect.fn("StateStore.look")(function* (path: string) {
  return { state: yield* look(path), backup: yield* look(backupOf(path)) }
})

/** The file is there whole, or as it was. */
const replace = Effect.fnUntraced(function* (path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const draft = `${path}.new`
  // What a crash has left there, or anybody else: it is not written through.
  yield* fs.remove(draft, { recursive: true, force: true })
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* fs.open(draft, { flag: "wx", mode: 0o600 })
      yield* file.writeAll(new TextEncoder().encode(text))
      yield* file.sync
    })
  )
  yield* fs.rename(draft, path)
})

/**
 * Writes what the log says of a run, whole or not at all, with what was there before it as `….backup`. What was corrupt is no
 * backup of anything; what is somebody else's by now is left as it is, and fails; nothing is written where nothing changed.
 */
export const writeState = Effect.fn("StateStore.write")(function* (path: string, run: Run) {
  const text = stateText(run)
  const before = yield* look(path)
  if (before._tag === "Foreign") return yield* stateForeign(path)
  if (before._tag === "State") {
    if (before.text === text) return
    yield* replace(backupOf(path), before.text)
  }
  yield* replace(path, text)
})

/** Files of ours in the project, for whoever looks at what changed there. */
export const ownFiles = Effect.fnUntraced(function* (statePath: string, others: ReadonlyArray<string>) {
  const path = yield* Path.Path
  return (root: string) => [statePath, backupOf(statePath), `${statePath}.new`, ...others].map((file) => path.relative(root, file))
})
