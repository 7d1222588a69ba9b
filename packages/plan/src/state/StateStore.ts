import { iso } from "@souffleur/domain"
import { createDurably, readTrusted, replaceDurably, type TrustedFiles } from "@souffleur/process"
import { Clock, Effect, FileSystem, Path, type PlatformError, Result, Runtime, Schema } from "effect"
import type { Run } from "../run/Run.ts"
import { readState, stateJson, type StateJson, stateText } from "./StateFile.ts"

/** The state file's name has content of another program, which is left as it is. `problem` is a sentence. */
export class StateForeign extends Schema.TaggedError<StateForeign>()("StateForeign", {
  path: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.path}: ${this.problem}`
  }
}

const ofAnotherKind = "it is no state file of this kind"

/** Makes the error of a file that is not souffleur's to write. */
export const stateForeign = (path: string, { problem }: { readonly problem: string }) =>
  new StateForeign({ path, problem: `${problem}: name another, or move it away` })

/** The finding at the path of a state file. `Corrupt`: a piece of such a file. */
export type FoundState =
  | { readonly _tag: "State"; readonly state: StateJson; readonly text: string }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Corrupt"; readonly bytes: Uint8Array }
  | { readonly _tag: "Foreign"; readonly problem: string }

/** Maximum bytes of a state file. */
const maxBytes = 16_000_000

/** Returns the path of the copy beside a state file. */
export const backupOf = (path: string): string => `${path}.backup`

/**
 * Reads what is there. Something that is no file, or that any user may write, is foreign and is not written over. A
 * project may be its group's.
 */
const look = Effect.fnUntraced(function* (
  path: string,
  ours: boolean
): Effect.fn.Return<FoundState, never, TrustedFiles> {
  const read = yield* Effect.result(readTrusted(path, { atMost: maxBytes, others: "write as its group" }))
  if (Result.isFailure(read))
    return read.failure.missing ? { _tag: "Missing" } : { _tag: "Foreign", problem: read.failure.problem }
  const text = new TextDecoder().decode(read.success)
  return Result.match(readState(text, ours), {
    onFailure: (why): FoundState =>
      why === "corrupt" ? { _tag: "Corrupt", bytes: read.success } : { _tag: "Foreign", problem: ofAnotherKind },
    onSuccess: (state): FoundState => ({ _tag: "State", state, text })
  })
})

/**
 * Reads the state file and its backup, as they are. `ours`: this run has a state file there. So has some run where the
 * backup is sound.
 */
export const lookAtState = Effect.fn("lookAtState")(function* (path: string, ours = false) {
  const backup = yield* look(backupOf(path), ours)
  return { state: yield* look(path, ours || backup._tag === "State"), backup }
})

/** A file that was kept beside its successor. */
export interface KeptAside {
  /** A spoiled state file, or a backup that is not of this run. */
  readonly found: "corrupt" | "backup"
  readonly kept: string
}

/** Keeps bytes under a fresh name that says when. */
const keep = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  const since = `${path}.kept-${iso(yield* Clock.currentTimeMillis).replaceAll(/[:.]/gu, "")}`
  for (let n = 1; ; n += 1) {
    const kept = n === 1 ? since : `${since}-${n}`
    if (yield* fs.exists(kept)) continue
    yield* createDurably(kept, bytes)
    return kept
  }
})

/** Makes room for a backup. An older backup of another run is kept, such as the file that this run began from. */
const yielded = Effect.fnUntraced(function* (path: string, there: FoundState, { created_at, workflow_id }: StateJson) {
  if (there._tag === "Foreign") return yield* stateForeign(path, there)
  if (there._tag === "Missing") return []
  if (there._tag === "State" && there.state.created_at === created_at && there.state.workflow_id === workflow_id)
    return []
  const bytes = there._tag === "State" ? new TextEncoder().encode(there.text) : there.bytes
  return bytes.length === 0 ? [] : [{ found: "backup", kept: yield* keep(path, bytes) } as const]
})

/**
 * Writes a run's state file, whole or not at all, with the unknown fields of the old one. The old one becomes
 * `….backup`. A damaged file is no backup: it is kept under a name that says when. So is a backup of another run.
 * Returns both. Writes nothing where nothing changed. Fails with `StateForeign` where the file is another program's by
 * now.
 */
export const writeState = Effect.fn("writeState")(function* (
  path: string,
  run: Run
): Effect.fn.Return<
  ReadonlyArray<KeptAside>,
  StateForeign | PlatformError.PlatformError,
  FileSystem.FileSystem | Path.Path | TrustedFiles
> {
  const { backup, state: before } = yield* lookAtState(path, true)
  if (before._tag === "Foreign") return yield* stateForeign(path, before)
  const theirs =
    before._tag === "State" ? before : before._tag === "Corrupt" && backup._tag === "State" ? backup : undefined
  const text = stateText(run, theirs?.text)
  if (before._tag === "State") {
    if (before.text === text) return []
    const kept = yield* yielded(backupOf(path), backup, stateJson(run))
    yield* replaceDurably(backupOf(path), before.text)
    yield* replaceDurably(path, text)
    return kept
  }
  const spoiled =
    before._tag === "Corrupt" && before.bytes.length > 0
      ? [{ found: "corrupt", kept: yield* keep(path, before.bytes) } as const]
      : []
  yield* replaceDurably(path, text)
  return spoiled
})

/** Returns the names of souffleur's files in a work tree, relative to its root. */
export const ownFiles = Effect.fnUntraced(function* (statePath: string, others: ReadonlyArray<string>) {
  const path = yield* Path.Path
  return (root: string) => [statePath, backupOf(statePath), ...others].map((file) => path.relative(root, file))
})
