import type { AgentKind, AgentOrder, SessionFile, SessionNotFound } from "@souffleur/domain"
import { Effect, Option } from "effect"

/**
 * Returns whether a launch resumes a session that its agent has begun, rather than beginning it. An agent resumes no
 * session that it has not begun, and begins none twice.
 */
export const hasBegun = (
  session: AgentOrder["session"],
  sessionFile: (sessionId: string) => Effect.Effect<SessionFile, SessionNotFound>
): Effect.Effect<boolean> =>
  session._tag === "Resume" ? Effect.isSuccess(sessionFile(session.sessionId)) : Effect.succeed(false)

/**
 * Makes the reader of our own launches, which returns the agent command of one. The user's flags come before ours.
 * `first`: the words that ours begin with, which no agent command has.
 */
export const commandBefore =
  (...first: ReadonlyArray<string>): AgentKind["ofLaunch"] =>
  ({ args, program }, sessionId) => {
    const at = args.findIndex((arg) => first.includes(arg))
    return at !== -1 && args.includes(sessionId, at) ? Option.some({ program, args: args.slice(0, at) }) : Option.none()
  }
