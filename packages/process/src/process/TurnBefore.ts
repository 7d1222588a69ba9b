import { Agent, isSessionKnown } from "@souffleur/domain"
import { Effect, Option } from "effect"

/**
 * Returns when the newest turn of a session was recorded, epoch ms by the agent's clock. A launch asks first, so that
 * its own turns can be told from that one. `null`: the session has no turn yet.
 */
export const turnBefore = Effect.fn("turnBefore")(function* (sessionId: string) {
  const agent = yield* Agent
  if (!isSessionKnown(sessionId)) return null
  return Option.match(yield* agent.signs(sessionId, undefined), {
    onNone: () => null,
    onSome: ({ turn }) => (turn === undefined ? null : Math.round(turn.at))
  })
})
