import {
  agentsOwn,
  type Errands,
  isSessionKnown,
  parseSessionId,
  type SessionFile,
  SessionNotFound
} from "@souffleur/domain"
import { type FileRefused, lookTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { inHead } from "../lines/Head.ts"
import { newestWrite } from "../lines/NewestWrite.ts"
import type { Json } from "../lines/JsonRecord.ts"

/** The place of an agent's session files. */
export interface SessionFolder {
  /** Absolute. */
  readonly folder: string
  /** The levels of folders between it and the session files. */
  readonly depth: number
  /** Matches the path of a session file. Its first group is the session id. */
  readonly sessionPath: RegExp
  /**
   * Returns the whole id in the first record of a session file, whose path has only its beginning. Several files may
   * have one id: the first by its name is the session. Absent: the path has the whole id.
   */
  readonly idIn?: (record: Json) => string | undefined
  /**
   * True if a copied folder may leave several files with one whole id. The newest is the session then: its agent writes
   * to it. Absent: they are several sessions.
   */
  readonly copied?: boolean
  /**
   * Returns the ids that begin so, two at most, of an agent whose sessions are rows of one file. Each has a path below
   * that file then, which `TrustedFiles` opens. Absent: each session has a file of its own.
   */
  readonly idsLike?: (beginning: string) => Effect.Effect<ReadonlyArray<string>, FileRefused, Errands | TrustedFiles>
}

/** Returns the session id in the path of a session file; empty: it is no session file. */
export const sessionIdIn = (sessionPath: RegExp, path: string): string => sessionPath.exec(path)?.[1] ?? ""

const missing = (sessionId: string, reason: SessionNotFound["reason"], message: string) =>
  Effect.fail(new SessionNotFound({ sessionId: sessionId.slice(0, 128), reason, message }))

/**
 * Lists the paths at the depth of session files. `from`: paths that come before it by their names are left out.
 * `onError` gets each folder that cannot be read.
 */
export const filesOf = Effect.fnUntraced(function* (
  { depth, folder }: SessionFolder,
  from = "",
  onError: (problem: string) => void = () => {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const below = (parent: string) =>
    fs.readDirectory(parent).pipe(
      Effect.map((names) => names.map((name) => path.join(parent, name))),
      Effect.map((paths) => paths.filter((one) => one >= from.slice(0, one.length))),
      Effect.catch((error) => {
        // A file on the way is no folder, and a folder may go.
        if (error.reason._tag === "PermissionDenied") onError(`${parent}: permission denied`)
        if (error.reason._tag === "NotFound" && parent === folder) onError(`${parent}: it is not there`)
        return Effect.succeed<ReadonlyArray<string>>([])
      })
    )
  let files = yield* below(folder)
  for (let level = 0; level < depth; level++) files = (yield* Effect.forEach(files, below, { concurrency: 8 })).flat()
  return files
})

/**
 * Makes the search for a session file, by its id or the beginning of one. A found file is remembered, and looked at
 * again. The search fails with `SessionNotFound` unless exactly one file matches. A file that others may have written
 * is not used, and the failure says why.
 */
export const makeSessionSearch = (place: SessionFolder) => {
  const { copied = false, folder: root, idIn, idsLike, sessionPath } = place
  const known = new Map<string, string>()
  /** Returns whether the file may, by its path alone, belong to the session that is asked for. */
  const mayBe = (file: string, asked: string) => {
    const named = sessionIdIn(sessionPath, file)
    return named.startsWith(asked) || (idIn !== undefined && named !== "" && asked.startsWith(named))
  }
  /** Returns files with the id of each, one for each id. */
  const identified = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
    if (idIn === undefined) return files.map((path) => ({ path, sessionId: sessionIdIn(sessionPath, path) }))
    const first = new Map<string, string>()
    for (const path of files.toSorted()) {
      const sessionId = Option.getOrElse(yield* inHead(path, idIn), () => "")
      if (!first.has(sessionId)) first.set(sessionId, path)
    }
    return Array.from(first, ([sessionId, path]) => ({ path, sessionId }))
  })
  /** Returns the newest of these files, or the only one: a folder that was moved and linked back shows it twice. */
  const chosen = Effect.fnUntraced(function* (found: ReadonlyArray<SessionFile>, isWhole: boolean) {
    const fs = yield* FileSystem.FileSystem
    const [first] = found
    if (first === undefined || found.length === 1) return first
    const real = yield* Effect.forEach(found, ({ path }) => Effect.orElseSucceed(fs.realPath(path), () => path))
    if (new Set(real).size === 1) return first
    if (!copied || !isWhole) return undefined
    const times = yield* Effect.forEach(found, ({ path }) => newestWrite([path]))
    return found[times.indexOf(Math.max(...times))]
  })
  return Effect.fn("findSession")(function* (
    asked: string
  ): Effect.fn.Return<SessionFile, SessionNotFound, Errands | FileSystem.FileSystem | Path.Path | TrustedFiles> {
    const path = yield* Path.Path
    if (!isSessionKnown(asked)) return yield* missing(asked, "missing", "the session has no id yet")
    if (Result.isFailure(parseSessionId(asked)))
      return yield* missing(asked, "malformed", "this cannot be a session id")
    const [unread, unused]: [Array<string>, Array<string>] = [[], []]
    const usable = (file: string) =>
      lookTrusted(file, agentsOwn).pipe(
        Effect.tapError((refused) => Effect.sync(() => !refused.missing && unused.push(refused.message))),
        Effect.as(file),
        Effect.option
      )
    const before = known.get(asked)
    if (before !== undefined && Option.isSome(yield* usable(before))) return { path: before, sessionId: asked }

    const files =
      idsLike === undefined
        ? (yield* filesOf(place, "", (problem) => unread.push(problem))).filter((file) => mayBe(file, asked))
        : (yield* Effect.catchTag(idsLike(asked), "FileRefused", (refused) =>
            refused.missing
              ? Effect.succeed([])
              : missing(asked, "missing", `the sessions cannot be read: ${refused.message}`)
          )).map((sessionId) => path.join(root, sessionId))
    const there = (yield* Effect.forEach(files, usable)).flatMap(Option.toArray)
    const named = (yield* identified(there)).filter(({ sessionId }) => sessionId.startsWith(asked))
    const whole = named.filter(({ sessionId }) => sessionId === asked)
    const found = whole.length > 0 ? whole : named
    if (found.length === 0) {
      const some = (problems: ReadonlyArray<string>) => problems.slice(0, 3).join("; ")
      const where = unread.length === 0 ? "" : ` (cannot be read: ${some(unread)})`
      return yield* missing(
        asked,
        "missing",
        unused.length > 0
          ? `a session file is there and is not used: ${some(unused)}`
          : `no session file of ${asked} in ${root}${where}`
      )
    }
    const one = yield* chosen(found, whole.length > 0)
    if (one === undefined)
      return yield* missing(
        asked,
        "ambiguous",
        `${found.length} session files in ${root} begin with it; give the whole id`
      )
    // The newest copy may be another one by then.
    if (one.sessionId === asked && !copied) known.set(asked, one.path)
    return one
  })
}
