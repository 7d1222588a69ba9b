import { agentsOwn, type SessionFile, SessionNotFound } from "@souffleur/domain"
import { lookTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import { linesBelow } from "../../kit/lines/LinesBelow.ts"
import { writtenAtOf } from "../../kit/lines/Tail.ts"
import { isSessionId } from "./SessionId.ts"

/** Extension of a session file. */
export const extension = ".jsonl"

/** Returns the full session id in the name of a session file. */
export const sessionIdOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1, -extension.length)

/** Lists the files of a session's subagents, at any depth (spec: claude-code#files). `file` is the session's own. */
export const subagentsOf = (file: string) =>
  Path.Path.use(({ join }) => linesBelow(join(file.slice(0, -extension.length), "subagents")))

const described = (error: PlatformError.PlatformError): string =>
  error.reason._tag === "PermissionDenied"
    ? "permission denied"
    : error.reason._tag === "NotFound"
      ? "it is not there"
      : error.message

/**
 * Finds the file `<claude dir>/projects/<any>/<SESSION_ID>*.jsonl` and its whole id (spec: behaviour#validation). The
 * id may be the beginning of one; a whole id wins over longer ones. Of several files with the whole id, as a copied
 * folder leaves them, the newest is the session: its agent writes to it.
 * Fails with `SessionNotFound`. `malformed` is decided before the id is used in a path. `missing` includes folders that
 * cannot be read. `ambiguous` means several matches.
 */
export const findSessionFile = Effect.fn("findSessionFile")(function* (
  claudeDir: string,
  sessionId: string
): Effect.fn.Return<SessionFile, SessionNotFound, FileSystem.FileSystem | Path.Path | TrustedFiles> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fail = (reason: SessionNotFound["reason"], message: string) =>
    Effect.fail(new SessionNotFound({ sessionId: sessionId.slice(0, 128), reason, message }))
  const file = (path: string): SessionFile => ({ path, sessionId: sessionIdOf(path) })
  if (!isSessionId(sessionId)) {
    return yield* fail(
      "malformed",
      "this cannot be a session id: letters, digits, '-', '_' and '.' only, a letter or digit first"
    )
  }
  const projects = path.resolve(claudeDir, "projects")
  const folders = yield* fs
    .readDirectoryEntries(projects)
    .pipe(
      Effect.catch((error) => fail("missing", `the sessions' folder ${projects} cannot be read: ${described(error)}`))
    )

  const unreadable: Array<string> = []
  /** Problems of files that exist but cannot be trusted, because others may have written them. */
  const notUsed: Array<string> = []
  const inFolder = Effect.fnUntraced(function* (folder: string) {
    const names = yield* fs.readDirectory(folder).pipe(
      Effect.catch((error) => {
        unreadable.push(`${folder}: ${described(error)}`)
        return Effect.succeed<ReadonlyArray<string>>([])
      })
    )
    const candidates = names.filter(
      (name) => name.startsWith(sessionId) && name.endsWith(extension) && isSessionId(sessionIdOf(name))
    )
    return yield* Effect.filter(
      candidates.map((name) => path.join(folder, name)),
      (candidate) =>
        lookTrusted(candidate, agentsOwn).pipe(
          Effect.as(true),
          Effect.catch((refused) => {
            if (!refused.missing) notUsed.push(refused.message)
            return Effect.succeed(false)
          })
        )
    )
  })
  const found = (yield* Effect.forEach(
    folders.filter((entry) => entry.type === "Directory" || entry.type === "SymbolicLink"),
    (entry) => inFolder(path.join(projects, entry.name)),
    { concurrency: 8 }
  )).flat()

  const whole = found.filter((match) => sessionIdOf(match) === sessionId)
  const matches = whole.length > 0 ? whole : found
  const [first] = matches
  if (first === undefined) {
    if (notUsed.length > 0)
      return yield* fail("missing", `a session file is there and is not used: ${notUsed.slice(0, 3).join("; ")}`)
    const where = unreadable.length > 0 ? ` (not all could be read: ${unreadable.slice(0, 3).join("; ")})` : ""
    return yield* fail("missing", `no file ${sessionId}*${extension} in any folder of ${projects}${where}`)
  }
  if (matches.length === 1) return file(first)
  // A project that was moved and linked back shows one file under two folders.
  const real = new Set(
    yield* Effect.forEach(matches, (match) => fs.realPath(match).pipe(Effect.orElseSucceed(() => match)))
  )
  if (real.size === 1) return file(first)
  if (whole.length > 0) {
    const times = yield* Effect.forEach(whole, (path) =>
      fs.stat(path).pipe(
        Effect.map((info) => ({ path, at: writtenAtOf(info) })),
        Effect.orElseSucceed(() => ({ path, at: 0 }))
      )
    )
    return file(times.reduce((newest, one) => (one.at > newest.at ? one : newest)).path)
  }
  return yield* fail("ambiguous", `${matches.length} session files in ${projects} begin with it; give the whole id`)
})
