import { Agent, type AgentSession, heldByLiving, plain } from "@souffleur/domain"
import { Effect } from "effect"

/** A session that can be chosen for a watch. */
export type LiveSession = Pick<AgentSession, "pid" | "sessionId" | "project" | "status" | "unwatchable">

/** Returns the title of a session in a list. An agent's own words about itself may be anything, so they are cut. */
export const sessionTitle = ({ pid, project, sessionId, status }: LiveSession): string =>
  `pid ${pid}  ${plain(status, 40)}  ${plain(project, 200)}  ${plain(sessionId, 64)}`

/**
 * Returns the live sessions of this user, by the agent's pid files and its hooks. The hooks know better which session a
 * process holds. `project` is empty where only a hook knows the session.
 */
export const liveSessions = Effect.fn("liveSessions")(function* () {
  const agent = yield* Agent
  const reported = yield* heldByLiving()
  const files = yield* agent.sessions
  const byPid = new Map(reported.map((held) => [held.pid, held.sessionId]))
  const known = files.map((session): LiveSession => ({
    ...session,
    sessionId: byPid.get(session.pid) ?? session.sessionId
  }))
  const others = reported.filter(({ pid }) => !files.some((session) => session.pid === pid))
  return [
    ...known,
    ...others.map(({ pid, sessionId }): LiveSession => ({ pid, sessionId, project: "", status: "told by its hooks" }))
  ]
})
