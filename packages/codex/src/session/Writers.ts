import { type AgentSession, Processes } from "@souffleur/domain"
import { writtenAtOf } from "@souffleur/session"
import { Effect, FileSystem, Option, Path } from "effect"
import { runsCodex } from "../command/CodexCommand.ts"

const suffix = ".lock"

/**
 * Lists the sessions that a living process of this user writes. Codex locks `thread-writer-locks/ID.lock` as long as it
 * works through a turn, so a holder is busy. A launcher that waits for the real Codex is named in its place: its pid is
 * the launched one.
 */
export const writersIn = Effect.fn("writersIn")(function* (
  codexDir: string,
  projectOf: (sessionId: string) => Effect.Effect<Option.Option<string>>
): Effect.fn.Return<ReadonlyArray<AgentSession>, never, FileSystem.FileSystem | Path.Path | Processes> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const processes = yield* Processes
  const folder = path.resolve(codexDir, "thread-writer-locks")
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const holders = Effect.fnUntraced(function* (name: string) {
    const file = path.join(folder, name)
    const holder = (yield* processes.lockers(file)).find(({ uid }) => uid === processes.host.uid)
    if (holder === undefined) return []
    const sessionId = name.slice(0, -suffix.length)
    const launcher = runsCodex(yield* processes.commandLine(holder.parent))
    const written = Option.getOrUndefined(yield* Effect.option(fs.stat(file)))
    return [
      {
        pid: launcher ? holder.parent : holder.identity.pid,
        sessionId,
        project: Option.getOrElse(yield* projectOf(sessionId), () => ""),
        status: "busy",
        waitingFor: undefined,
        writtenAt: written === undefined ? 0 : writtenAtOf(written)
      } satisfies AgentSession
    ]
  })
  const found = yield* Effect.forEach(
    names.filter((name) => name.endsWith(suffix)),
    holders
  )
  return found.flat()
})
