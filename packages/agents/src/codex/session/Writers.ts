import { type AgentSession, Processes, type Unwatchable } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import type { KnownSessions } from "../../kit/agent/AgentDialect.ts"
import { writtenAtOf } from "../../kit/lines/Tail.ts"
import { launchesCodex, runsCodex } from "../command/CodexVerb.ts"

const suffix = ".lock"

/** Returns why no watch can have a session in a server, and the command to type instead. */
const unwatchable = (pid: number, words: ReadonlyArray<string>, sessionId: string): Unwatchable => {
  const next = `souffleur run -- codex resume ${sessionId} "Go on."`
  return words.includes("--managed-daemon")
    ? {
        why: "the background server of Codex has this session, and its stop ends all its other work too",
        next: `codex app-server daemon stop && ${next}`
      }
    : {
        why: `process ${pid} has this session for another program: end it there first`,
        next
      }
}

/**
 * Lists the sessions that a living process of this user writes. Codex locks `thread-writer-locks/ID.lock`. `codex exec`
 * does so for its turn, and an interactive Codex as long as it has the session. A launcher that waits for the real
 * Codex is named in its place: its pid is the launched one. No launch can replace a server, which works for other
 * processes.
 */
export const writersIn = Effect.fn("writersIn")(function* (
  codexDir: string,
  { isIdle, isSubagent, projectOf }: KnownSessions
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
    // The process holds the session that its subagents work for.
    if (yield* isSubagent(sessionId)) return []
    const words = yield* processes.commandLine(holder.identity.pid)
    const { pid } = holder.identity
    const launcher = launchesCodex(yield* processes.commandLine(holder.parent), words)
    const written = Option.getOrUndefined(yield* Effect.option(fs.stat(file)))
    return [
      {
        pid: launcher ? holder.parent : pid,
        sessionId,
        project: yield* projectOf(sessionId),
        status: (yield* isIdle(sessionId)) ? "idle" : "busy",
        waitingFor: undefined,
        writtenAt: written === undefined ? 0 : writtenAtOf(written),
        ...(runsCodex(words) ? {} : { unwatchable: unwatchable(pid, words, sessionId) })
      } satisfies AgentSession
    ]
  })
  const found = yield* Effect.forEach(
    names.filter((name) => name.endsWith(suffix)),
    holders
  )
  return found.flat()
})
