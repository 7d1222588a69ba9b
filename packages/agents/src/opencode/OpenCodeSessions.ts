import { agentsOwn, type AgentSession, Processes } from "@souffleur/domain"
import { lookTrusted, TrustedFiles } from "@souffleur/process"
import { Effect, Option } from "effect"
import type { KnownSessions } from "../kit/agent/AgentDialect.ts"
import { sessionWord } from "./OpenCodeCommand.ts"

const titled = "SELECT id FROM session WHERE title = ? LIMIT 2"
const beginningWith = "SELECT id FROM session WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2"
/** A subagent has a session of its own, whose parent asked for it. */
const below = `WITH RECURSIVE below (id) AS (
    SELECT id FROM session WHERE parent_id = ?1
    UNION SELECT session.id FROM session JOIN below ON session.parent_id = below.id
  ) SELECT id FROM below LIMIT 10000`

const none = Effect.orElseSucceed((): ReadonlyArray<string> => [])

/** Makes the looks at the ids of sessions in a database. */
export const sessionsIn = (database: string) => {
  const idsOf = (sql: string) => (value: string) =>
    TrustedFiles.use((files) => files.rows(database, agentsOwn, { sql, tables: ["session"], values: [value] })).pipe(
      Effect.map((rows) => rows.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))
    )
  const [idsTitled, idsBelow] = [idsOf(titled), idsOf(below)]

  const running = Effect.fnUntraced(function* ({ isIdle, projectOf }: KnownSessions) {
    const processes = yield* Processes
    // Without its database there is no OpenCode, and no process is looked at.
    if (Option.isNone(yield* Effect.option(lookTrusted(database, agentsOwn)))) return []
    // Each process of this user has this variable.
    const all = (yield* processes.carriers("PATH")).filter(
      ({ condition, name }) => name.startsWith("opencode") && condition !== "zombie"
    )
    const found = yield* Effect.forEach(all, ({ identity: { pid } }) =>
      Effect.gen(function* () {
        const held = sessionWord(yield* processes.commandLine(pid))
        if (held === undefined) return []
        const [sessionId, other] = held._tag === "Session" ? [held.value] : yield* none(idsTitled(held.value))
        if (sessionId === undefined || other !== undefined) return []
        const project = yield* projectOf(sessionId)
        const status = (yield* isIdle(sessionId)) ? "idle" : "busy"
        return [{ pid, sessionId, project, status, waitingFor: undefined, writtenAt: 0 } satisfies AgentSession]
      })
    )
    return found.flat()
  })

  return {
    /** Returns the ids that begin so, two at most. Fails with `FileRefused`. */
    idsLike: idsOf(beginningWith),
    /** Lists the sessions of subagents below a session. A database that cannot be read has none. */
    subagents: (sessionId: string) => none(idsBelow(sessionId)),
    /** Lists the sessions of living processes by their command lines: OpenCode has no other sign of them. */
    running
  }
}
