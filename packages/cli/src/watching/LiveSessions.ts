import { Agent, type AgentSession, heldByLiving, plain } from "@souffleur/domain"
import { Effect } from "effect"

/** A session that can be chosen to be watched. */
export type LiveSession = Pick<AgentSession, "pid" | "sessionId" | "project" | "status">

/** As a person chooses it: what the agent says of itself may be anything. */
export const titleOf = ({ pid, project, sessionId, status }: LiveSession): string =>
  `pid ${pid}  ${plain(status, 40)}  ${plain(project, 200)}  ${plain(sessionId, 64)}`

/**
 * The live sessions of this user: what the agent's pid files say, and what its hooks do, which know better which
 * session a process holds. `project` is empty where only a hook knows of it.
 */
export const liveSessions = Effect.fn("liveSessions")(function* () {
  const agent = yield* Agent
  const told = yield* heldByLiving()
  const files = yield* agent.sessions
  const byPid = new Map(told.map((held) => [held.pid, held.sessionId]))
  const known = files.map((session): LiveSession => ({
    ...session,
    sessionId: byPid.get(session.pid) ?? session.sessionId
  }))
  const others = told.filter(({ pid }) => !files.some((session) => session.pid === pid))
  return [
    ...known,
    ...others.map(({ pid, sessionId }): LiveSession => ({ pid, sessionId, project: "", status: "told by its hooks" }))
  ]
})
