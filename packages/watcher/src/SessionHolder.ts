import {
  Agent,
  baselineOf,
  type CommsSnapshot,
  type HeartbeatSeen,
  parseTime,
  isSameProcess,
  Processes,
  type SessionSigns,
  type Watch
} from "@souffleur/domain"
import { Offspring } from "@souffleur/eventlog"
import { isGone } from "@souffleur/process"
import { Clock, Effect, Option } from "effect"

/** Finds the live process that claims to hold a session. `undefined`: there is none. */
export const holderOf = Effect.fn("holderOf")(function* (sessionId: string) {
  const agent = yield* Agent
  const processes = yield* Processes
  const session = (yield* agent.sessions).find((held) => held.sessionId === sessionId)
  const process = session === undefined ? Option.none() : yield* processes.find(session.pid)
  if (Option.isNone(process)) return undefined
  const conductor = process.value.identity
  const words = yield* processes.commandLine(conductor.pid)
  // A session that souffleur started only to compact is no Conductor. Nor is a process that is no agent.
  return words.at(-1) === agent.compactPrompt || !agent.isAgent(words)
    ? undefined
    : { conductor, print: agent.inPrintMode(words) }
})

/**
 * Returns whether the heartbeat is newer than the closing. This watcher must have seen it change, since a fast clock
 * makes an old heartbeat look new.
 */
const beats = ({ changedAt, raw }: HeartbeatSeen, closed: number, now: number) =>
  changedAt !== undefined && Option.exists(parseTime(raw), (at) => at > closed && at <= now)

/** Finds the live process that holds the session, if the Conductor is gone, and had started it. `undefined`: none. */
export const outlivingAgent = Effect.fn("outlivingAgent")(function* ({ conductor, sessionId }: Watch) {
  if (conductor === undefined || !(yield* isGone(yield* Processes, conductor))) return undefined
  const holder = yield* holderOf(sessionId)
  const started = yield* (yield* Offspring).recall(conductor)
  return started.some((one) => isSameProcess(one, holder?.conductor)) ? holder : undefined
})

/**
 * Finds a Conductor that came back by itself, or lives on behind its launcher. A live process holds the session, and
 * its heartbeat is newer than the closing. Without comms the session file must be newer (spec: behaviour#standby).
 * `undefined`: there is none.
 */
export const findReturned = Effect.fnUntraced(function* (
  watch: Watch,
  comms: CommsSnapshot,
  heartbeat: HeartbeatSeen,
  signs: SessionSigns | undefined
) {
  const now = yield* Clock.currentTimeMillis
  if (watch.standby === undefined) return undefined
  const { since } = watch.standby
  const moves = watch.comms === null ? signs !== undefined && signs.writtenAt > since : beats(heartbeat, since, now)
  const holder = yield* moves ? holderOf(watch.sessionId) : outlivingAgent(watch)
  return holder === undefined ? undefined : { _tag: "Returned" as const, ...holder, baseline: baselineOf(comms) }
})
