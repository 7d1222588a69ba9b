import { agentsOwn, parseSessionId, type SessionFile, SessionNotFound } from "@souffleur/domain"
import { lookTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Result } from "effect"

/** The place of an agent's session files. */
export interface SessionFolder {
  /** Absolute. */
  readonly folder: string
  /** The levels of folders between it and the session files. */
  readonly depth: number
  /** Returns the session id in the path of a session file; empty: it is no session file. */
  readonly sessionIdOf: (path: string) => string
}

const missing = (sessionId: string, reason: SessionNotFound["reason"], message: string) =>
  Effect.fail(new SessionNotFound({ sessionId: sessionId.slice(0, 128), reason, message }))

/**
 * Makes the search for a session file, by its id or the beginning of one. A found file is remembered, and looked at
 * again. The search fails with `SessionNotFound` unless exactly one file matches.
 */
export const makeSessionSearch = ({ depth, folder: root, sessionIdOf }: SessionFolder) => {
  const known = new Map<string, string>()
  return Effect.fn("findSession")(function* (
    asked: string
  ): Effect.fn.Return<SessionFile, SessionNotFound, FileSystem.FileSystem | Path.Path | TrustedFiles> {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    if (asked === "") return yield* missing(asked, "missing", "the session has no id yet")
    if (Result.isFailure(parseSessionId(asked)))
      return yield* missing(asked, "malformed", "this cannot be a session id")
    const usable = (file: string) => Effect.option(Effect.as(lookTrusted(file, agentsOwn), file))
    const before = known.get(asked)
    if (before !== undefined && Option.isSome(yield* usable(before)))
      return { path: before, sessionId: sessionIdOf(before) }

    const below = (folder: string) =>
      fs.readDirectory(folder).pipe(
        Effect.map((names) => names.map((name) => path.join(folder, name))),
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )
    let files = yield* below(root)
    for (let level = 0; level < depth; level++) files = (yield* Effect.forEach(files, below, { concurrency: 8 })).flat()
    const named = files.filter((file) => sessionIdOf(file).startsWith(asked))
    const whole = named.filter((file) => sessionIdOf(file) === asked)
    const found = (yield* Effect.forEach(whole.length > 0 ? whole : named, usable)).flatMap(Option.toArray)
    const [first] = found
    if (first === undefined) return yield* missing(asked, "missing", `no session file of ${asked} in ${root}`)
    if (found.length > 1)
      return yield* missing(
        asked,
        "ambiguous",
        `${found.length} session files in ${root} begin with it; give the whole id`
      )
    if (sessionIdOf(first) === asked) known.set(asked, first)
    return { path: first, sessionId: sessionIdOf(first) }
  })
}
