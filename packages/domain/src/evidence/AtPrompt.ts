import { isSessionKnown } from "../watch/Target.ts"
import { ownTurn } from "../watch/Generation.ts"
import type { Watch } from "../watch/Watch.ts"
import type { Signs, TurnState, Verdict } from "./Signs.ts"

/** The act that an agent waits for before it begins a session, such as trust in its folder. */
export const firstAnswer = "an answer before its first turn"
/**
 * The act that an agent waits for at its prompt, once its turn failed. The words of its service stay out of the log:
 * they may have a key in them.
 */
export const failedTurn = "its turn failed"

/** Returns whether souffleur launched the agent to be typed to. */
export const isTypedTo = ({ kind, launchId, print }: Watch): boolean =>
  kind === "agent" && !print && launchId !== undefined

/** The same where the agent may wait at its prompt. A watch with comms has no such wait, since its heartbeat counts. */
export const hasPrompt = (watch: Watch): boolean => watch.comms === null && isTypedTo(watch)

/**
 * Returns whether an agent in a window has a prompt and has not begun its turn. It may wait for trust in its folder or
 * in a server of tools, for a login or a theme. `isPrompted`: the first launch has a prompt, which a person types
 * otherwise. `taken`: a successor has begun, by its hand-off.
 */
export const asksFirst = (
  watch: Watch,
  { process, session }: Pick<Signs, "process" | "session">,
  { isPrompted, taken }: { readonly isPrompted: boolean; readonly taken: boolean }
): boolean => {
  const { generation, launchedAt, preparedAt, sessionId } = watch
  if (!isTypedTo(watch) || process !== "running") return false
  if (!isSessionKnown(sessionId)) return true
  if (generation === 1 ? !isPrompted : taken) return false
  // The file of a resumed session has what came before its launch.
  const since = preparedAt === 0 ? launchedAt : preparedAt
  return session === undefined || (session.writtenAt < since && ownTurn(watch, session.turn) === undefined)
}

/**
 * Returns whether the turn of an agent at its prompt failed in this generation. A turn that a person broke off has no
 * words for its failure.
 */
export const failedAtPrompt = (watch: Watch, newest: TurnState | undefined): boolean => {
  const turn = ownTurn(watch, newest)
  return hasPrompt(watch) && turn?._tag === "Failed" && turn.words !== undefined
}

/**
 * Returns since when an agent waits at its prompt, its turn over, epoch ms (spec: behaviour#idle). `undefined`: it does
 * not. A launch with a prompt of its own begins with the last turn of the session before it.
 */
export const idleSince = (
  watch: Pick<Watch, "comms" | "kind" | "launchedAt" | "launchId" | "preparedAt" | "print" | "turnBefore">,
  verdict: Verdict,
  { pidFile, session }: Pick<Signs, "pidFile" | "session">
): number | undefined => {
  const { comms, kind, launchedAt, launchId, preparedAt, print } = watch
  if (comms !== null || kind !== "agent" || print || verdict._tag !== "Idle") return undefined
  const { since } = verdict
  const turn = session?.turn
  const begun = preparedAt === 0 ? launchedAt : preparedAt
  const isBefore = launchId !== undefined && ownTurn(watch, turn) === undefined && since < begun
  // A turn that failed may go on by the agent's own word, and its pid file may be older than the newest words to it.
  const works = pidFile?.status === "busy" || (turn !== undefined && turn.at > since)
  return isBefore || works ? undefined : Math.round(since)
}
