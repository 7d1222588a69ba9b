import { agentsOwn, type AgentSession, Bounds, epochOf, type ProcessIdentity, Processes } from "@souffleur/domain"
import { lookTrusted, readTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import { writtenAtOf } from "../../kit/lines/Tail.ts"

/** Bytes of a pid file at most. The agent's own have about 600. */
const sizeLimit = 65_536

/**
 * The fields of `<claude dir>/sessions/<pid>.json` that souffleur uses. The file is undocumented: it is evidence, never
 * proof.
 */
const PidFile = Schema.fromJsonString(
  Schema.Struct({
    pid: Bounds.Pid,
    sessionId: Bounds.words(Bounds.sessionIdLength),
    cwd: Bounds.words(Bounds.pathLength),
    /** Field 22 of `/proc/<pid>/stat` as text, or the start that `ps -o lstart=` prints in UTC. */
    procStart: Schema.Union([Bounds.words(32), Bounds.StartTime]),
    status: Schema.optionalKey(Schema.String),
    waitingFor: Schema.optionalKey(Schema.String)
  })
)
/** Cuts a text that is only for people. A newer agent may write a longer one, and still holds its session. */
const inShort = (text: string) => text.slice(0, 200)
const decode = Schema.decodeUnknownOption(PidFile)

/** Returns the start of a process as `Processes` counts it. `undefined`: the text is no start. */
const startOf = (procStart: string | number): number | undefined => {
  const count = Number(procStart)
  if (!Number.isNaN(count)) return count
  const at = epochOf(String(procStart))
  return at && at / 1000
}

/** Reads a pid file. Fails where there is none, or it is no pid file of this user. */
const readPidFile = Effect.fnUntraced(function* (file: string) {
  const writtenAt = writtenAtOf(yield* lookTrusted(file, agentsOwn))
  const text = new TextDecoder().decode(yield* readTrusted(file, { ...agentsOwn, atMost: sizeLimit }))
  return { ...(yield* Effect.fromOption(decode(text))), writtenAt }
}, Effect.option)

/** Returns the session in the pid file of a process, which may have ended. `None`: it has none, or of another start. */
export const heldSession = Effect.fn("heldSession")(function* (
  claudeDir: string,
  { pid, startTime }: Pick<ProcessIdentity, "pid" | "startTime">
) {
  const path = yield* Path.Path
  const found = yield* readPidFile(path.resolve(claudeDir, "sessions", `${pid}.json`))
  return Option.map(
    Option.filter(found, (said) => said.pid === pid && startOf(said.procStart) === startTime),
    ({ sessionId }) => sessionId
  )
})

/**
 * Lists the sessions of pid files whose process is alive and ours, and began when the file says. The agent leaves its
 * file behind when it is killed. Files that are no pid file, or cannot be read, are skipped.
 */
export const runningSessions = Effect.fn("runningSessions")(function* (
  claudeDir: string
): Effect.fn.Return<ReadonlyArray<AgentSession>, never, FileSystem.FileSystem | Path.Path | Processes | TrustedFiles> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const processes = yield* Processes
  const folder = path.resolve(claudeDir, "sessions")
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

  const live = Effect.fnUntraced(function* (file: string) {
    const found = yield* readPidFile(file)
    if (Option.isNone(found)) return []
    const { pid, sessionId, cwd, procStart, status, waitingFor, writtenAt } = found.value
    const process = yield* processes.find(pid)
    if (Option.isNone(process) || process.value.condition === "zombie" || process.value.uid !== processes.host.uid)
      return []
    if (process.value.identity.startTime !== startOf(procStart)) return []
    return [
      {
        pid,
        sessionId,
        project: cwd,
        status: inShort(status ?? "unknown"),
        waitingFor: waitingFor && inShort(waitingFor),
        writtenAt
      } satisfies AgentSession
    ]
  })
  const sessions = yield* Effect.forEach(
    names.filter((name) => name.endsWith(".json")),
    (name) => live(path.join(folder, name)),
    { concurrency: 8 }
  )
  return sessions.flat()
})
