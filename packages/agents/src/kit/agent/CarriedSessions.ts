import { type AgentSession, parseSessionId, Processes, type ProcessInfo } from "@souffleur/domain"
import { Effect, Option, Result } from "effect"
import type { KnownSessions } from "./AgentDialect.ts"

/** How the processes of an agent are known. */
export interface Carried {
  /** The environment variable that names the session, in its tools and in each of our launches. */
  readonly variable: string
  /** Returns whether a command line is the agent's. */
  readonly runs: (words: ReadonlyArray<string>) => boolean
}

/**
 * Lists the sessions of living processes, for an agent that leaves no pid file and holds no lock. A process that
 * carries the session's variable belongs to it. The agent is the topmost process of that session, or of the agent's own
 * above it. So a launcher that waits for the real agent is named: its pid is the launched one.
 */
export const carriedSessions = Effect.fn("carriedSessions")(function* (
  { runs, variable }: Carried,
  { isIdle, projectOf }: KnownSessions
): Effect.fn.Return<ReadonlyArray<AgentSession>, never, Processes> {
  const processes = yield* Processes
  const carriers = new Map((yield* processes.carriers(variable)).map((one) => [one.identity.pid, one]))
  const isAgent = (pid: number) => Effect.map(processes.commandLine(pid), runs)
  const topOf = Effect.fnUntraced(function* (from: ProcessInfo, sessionId: string) {
    let top = from
    for (;;) {
      const begunIn = carriers.get(top.identity.pid)?.value
      // It runs within a tool of another session: the agent above is not its launcher.
      if (begunIn !== undefined && begunIn !== sessionId && (yield* isAgent(top.identity.pid))) return top
      const above = Option.getOrUndefined(yield* processes.find(top.parent))
      if (above === undefined || above.uid !== processes.host.uid) return top
      const pid = above.identity.pid
      if (carriers.get(pid)?.value !== sessionId && !(yield* isAgent(pid))) return top
      top = above
    }
  })
  const found = new Map<string, AgentSession>()
  for (const carrier of carriers.values()) {
    const { condition, value: sessionId } = carrier
    if (condition === "zombie" || Result.isFailure(parseSessionId(sessionId))) continue
    const { pid } = (yield* topOf(carrier, sessionId)).identity
    if (found.has(`${pid} ${sessionId}`) || !(yield* isAgent(pid))) continue
    const project = yield* projectOf(sessionId)
    const status = (yield* isIdle(sessionId)) ? "idle" : "busy"
    found.set(`${pid} ${sessionId}`, { pid, sessionId, project, status, waitingFor: undefined, writtenAt: 0 })
  }
  return [...found.values()]
})
