import { agentsOwn, parseSessionId, type SessionFile, SessionNotFound } from "@souffleur/domain"
import { lookTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Result } from "effect"

/** The name of a session file: its time, then its id. */
const form = /^rollout-[\dT-]{19}-([A-Za-z0-9][A-Za-z0-9_-]*)\.jsonl$/u

/** Returns the session id in the path of a session file; empty: it is no session file. */
export const sessionIdOf = (path: string): string => form.exec(path.slice(path.lastIndexOf("/") + 1))?.[1] ?? ""

const missing = (sessionId: string, reason: SessionNotFound["reason"], message: string) =>
  Effect.fail(new SessionNotFound({ sessionId: sessionId.slice(0, 128), reason, message }))

/**
 * Makes the search for `<codex dir>/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl`, by the id or the beginning of one.
 * A found file is remembered, and looked at again. The search fails with `SessionNotFound`.
 */
export const makeFindRollout = (codexDir: string) => {
  const known = new Map<string, string>()
  return Effect.fn("findRollout")(function* (
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

    const root = path.resolve(codexDir, "sessions")
    const below = (folder: string) =>
      fs.readDirectory(folder).pipe(
        Effect.map((names) => names.map((name) => path.join(folder, name))),
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )
    const years = yield* below(root)
    const months = (yield* Effect.forEach(years, below, { concurrency: 8 })).flat()
    const days = (yield* Effect.forEach(months, below, { concurrency: 8 })).flat()
    const files = (yield* Effect.forEach(days, below, { concurrency: 8 })).flat()
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
