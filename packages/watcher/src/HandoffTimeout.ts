import { Agent, type Signs, type Verdict, type Watch } from "@souffleur/domain"
import { Effect } from "effect"

/**
 * Returns whether nothing is known but a live process: its session has no file, no hook ran, no beat came, and no
 * person is awaited. An agent in another session has its conversation there. An unreadable file is no evidence.
 */
const isMute = Effect.fnUntraced(function* (
  { conductor, kind, sessionId }: Watch,
  { beat, hook, process, since }: Signs,
  verdict: Verdict
) {
  const agent = yield* Agent
  const lives = process === "running" || process === "stopped"
  if (
    kind !== "agent" ||
    !lives ||
    verdict._tag === "Waiting" ||
    hook !== undefined ||
    (beat !== undefined && beat >= since)
  )
    return false
  const held = (yield* agent.sessions).find(({ pid }) => pid === conductor?.pid)
  if (held !== undefined && held.sessionId !== sessionId) return false
  return yield* Effect.match(agent.sessionFile(sessionId), {
    onSuccess: () => false,
    onFailure: ({ reason }) => reason === "missing"
  })
})

/**
 * Returns whether a successor did not take its hand-off within `timeout` (ms) and shows no sign of work, because its
 * session has nothing to do or never began (spec: behaviour#hand-off).
 */
export const handoffTimedOut = Effect.fn("handoffTimedOut")(function* (
  watch: Watch,
  signs: Signs,
  verdict: Verdict,
  timeout: number
) {
  if (signs.now - signs.since <= timeout) return false
  if (signs.session !== undefined) return verdict._tag === "Idle" || verdict._tag === "Hung"
  return yield* isMute(watch, signs, verdict)
})
