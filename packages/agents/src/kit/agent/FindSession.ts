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
   * Returns the ids that begin so, two at most, of an agent whose sessions are rows of one file. Each has a path below
   * that file then, which `TrustedFiles` opens. Absent: each session has a file of its own.
   */
  readonly idsLike?: (beginning: string) => Effect.Effect<ReadonlyArray<string>, FileRefused, Errands | TrustedFiles>
}

/** Returns the session id in the path of a session file; empty: it is no session file. */
export const sessionIdIn = (sessionPath: RegExp, path: string): string => sessionPath.exec(path)?.[1] ?? ""

const missing = (sessionId: string, reason: SessionNotFound["reason"], message: string) =>
  Effect.fail(new SessionNotFound({ sessionId: sessionId.slice(0, 128), reason, message }))

/** Lists the paths at the depth of session files. `from`: paths that come before it by their names are left out. */
export const filesOf = Effect.fnUntraced(function* ({ depth, folder }: SessionFolder, from = "") {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const below = (parent: string) =>
    fs.readDirectory(parent).pipe(
      Effect.map((names) => names.map((name) => path.join(parent, name))),
      Effect.map((paths) => paths.filter((one) => one >= from.slice(0, one.length))),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  let files = yield* below(folder)
  for (let level = 0; level < depth; level++) files = (yield* Effect.forEach(files, below, { concurrency: 8 })).flat()
  return files
})

/**
 * Makes the search for a session file, by its id or the beginning of one. A found file is remembered, and looked at
 * again. The search fails with `SessionNotFound` unless exactly one file matches.
 */
export const makeSessionSearch = (place: SessionFolder) => {
  const { folder: root, idIn, idsLike, sessionPath } = place
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
  return Effect.fn("findSession")(function* (
    asked: string
  ): Effect.fn.Return<SessionFile, SessionNotFound, Errands | FileSystem.FileSystem | Path.Path | TrustedFiles> {
    const path = yield* Path.Path
    if (!isSessionKnown(asked)) return yield* missing(asked, "missing", "the session has no id yet")
    if (Result.isFailure(parseSessionId(asked)))
      return yield* missing(asked, "malformed", "this cannot be a session id")
    const usable = (file: string) => Effect.option(Effect.as(lookTrusted(file, agentsOwn), file))
    const before = known.get(asked)
    if (before !== undefined && Option.isSome(yield* usable(before))) return { path: before, sessionId: asked }

    const files =
      idsLike === undefined
        ? (yield* filesOf(place)).filter((file) => mayBe(file, asked))
        : (yield* Effect.catchTag(idsLike(asked), "FileRefused", (refused) =>
            refused.missing
              ? Effect.succeed([])
              : missing(asked, "missing", `the sessions cannot be read: ${refused.message}`)
          )).map((sessionId) => path.join(root, sessionId))
    const there = (yield* Effect.forEach(files, usable)).flatMap(Option.toArray)
    const named = (yield* identified(there)).filter(({ sessionId }) => sessionId.startsWith(asked))
    const whole = named.filter(({ sessionId }) => sessionId === asked)
    const found = whole.length > 0 ? whole : named
    const [first] = found
    if (first === undefined) return yield* missing(asked, "missing", `no session file of ${asked} in ${root}`)
    if (found.length > 1)
      return yield* missing(
        asked,
        "ambiguous",
        `${found.length} session files in ${root} begin with it; give the whole id`
      )
    if (first.sessionId === asked) known.set(asked, first.path)
    return first
  })
}
