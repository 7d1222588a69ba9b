import { agentsOwn, type AgentSession, Processes } from "@souffleur/domain"
import { type AgentPackage, lookTrusted, TrustedFiles } from "@souffleur/process"
import { type KnownSessions, inHead, layerSaidAgent } from "@souffleur/session"
import { Duration, Effect, Layer, Option } from "effect"
import { inPrintMode, openCodeCommand, runsOpenCode, type SessionWord, sessionWord } from "./OpenCodeCommand.ts"
import { asksRecords } from "./OpenCodeFlags.ts"
import { makeOutputReader, sessionNamed } from "./OpenCodeOutput.ts"
import { openCodeSayings } from "./OpenCodeSayings.ts"
import { withSessionRows } from "./SessionRows.ts"

/** Measured with 1.18.33: an answer that breaks off is silent for 300 s, and then asked for again. */
export const stall = Duration.seconds(301)

/** A subagent has a session of its own, whose parent asked for it. */
const below = `WITH RECURSIVE below (id) AS (
    SELECT id FROM session WHERE parent_id = ?1
    UNION SELECT session.id FROM session JOIN below ON session.parent_id = below.id
  ) SELECT id FROM below LIMIT 10000`

/** OpenCode as an agent. Each launch is `opencode run`, which ends with its turn. */
export const layer: AgentPackage["layer"] = (options) => {
  const database = `${options.agentDir}/opencode/opencode.db`
  /** Returns ids of sessions. A database that cannot be read has none. */
  const idsOf = (sql: string, value: string) =>
    TrustedFiles.use((files) => files.rows(database, agentsOwn, { sql, values: [value] })).pipe(
      Effect.map((rows) => rows.flatMap(({ id }) => (typeof id === "string" ? [id] : []))),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  const sessionOf = ({ _tag, value }: SessionWord) =>
    _tag === "Session" ? Effect.succeed([value]) : idsOf("SELECT id FROM session WHERE title = ? LIMIT 2", value)

  /** Lists the sessions of living processes by their command lines: OpenCode has no other sign of them. */
  const sessions = Effect.fnUntraced(function* ({ projectOf }: KnownSessions) {
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
        const [sessionId, other] = held === undefined ? [] : yield* sessionOf(held)
        if (sessionId === undefined || other !== undefined) return []
        const project = Option.getOrElse(yield* projectOf(sessionId), () => "")
        const session: AgentSession = {
          pid,
          sessionId,
          project,
          status: "busy",
          waitingFor: undefined,
          writtenAt: 0
        }
        return [session]
      })
    )
    return found.flat()
  })

  return layerSaidAgent({
    name: "opencode",
    title: "OpenCode",
    folder: database,
    depth: 0,
    sessionIdOf: (path) => path.slice(path.lastIndexOf("/") + 1),
    idsLike: (beginning) => idsOf("SELECT id FROM session WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2", beginning),
    sayings: openCodeSayings,
    repeatsCalls: true,
    subagents: (sessionId) => idsOf(below, sessionId),
    runs: runsOpenCode,
    inPrintMode,
    idles: true,
    stall,
    variable: "OPENCODE_SESSION_ID",
    sessions,
    sessionIn: (output) => inHead(output, sessionNamed),
    outputReader: makeOutputReader,
    addsFormat: !asksRecords(options.agentCommand.args),
    command: (order) => openCodeCommand(options, order)
  }).pipe(
    Layer.provide(
      Layer.effect(
        TrustedFiles,
        Effect.map(TrustedFiles, (files) => withSessionRows(files, database))
      )
    )
  )
}
