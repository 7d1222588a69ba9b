import { decodeEvent, encodeEvent, evolve, initial, parseTime } from "@souffleur/domain"
import { publicationOf } from "@souffleur/supervisor"
import { Effect, Option, Result } from "effect"
import type { FaultInjector } from "./FaultInjector.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

/** Checks the states that the roles saw: each is what the stored events fold to, up to its revision. */
export const sightings = (world: World): void => {
  let watch = initial
  const folded = [
    JSON.stringify(watch),
    ...world.ledger.events.map((event, index) =>
      JSON.stringify((watch = evolve(watch, Result.getOrThrow(decodeEvent(world.id, index + 1, encodeEvent(event))))))
    )
  ]
  for (const seen of world.seen)
    if (JSON.stringify(seen) !== folded[seen.revision])
      world.violated(`a role saw another state at revision ${seen.revision} than the log has`)
}

/** The ms after which a healthy souffleur has seen whether an agent is at its prompt. */
const restSeen = 8 * minute

/** Says whether a watch without comms tells its agent as idle which works, or as working which is at its prompt. */
const misjudgesRest = ({ ledger: { watch }, lies, steadyClock, timeline }: World, one: Conductor) => {
  if (
    !steadyClock ||
    lies.told ||
    watch.comms !== null ||
    watch.kind !== "agent" ||
    one.process.print ||
    watch.sessionId !== one.sessionId
  )
    return undefined
  const { from = timeline.monotonic, until = one.startedAt } = one.rest ?? {}
  if (one.condition === "idle" && timeline.monotonic - from > restSeen && (watch.idle ?? watch.person) === undefined)
    return "the agent is at its prompt, and is told as working"
  return one.condition === "working" && timeline.monotonic - until > restSeen && watch.idle !== undefined
    ? "the agent works, and is told as idle"
    : undefined
}

/** Says whether a watch tells its agent, which is at its prompt with its cap used up, as anything else. */
const misjudgesCap = ({ ledger: { watch }, lies, sessions, timeline }: World, one: Conductor) => {
  const { cappedSince = timeline.monotonic, process, sessionId } = one
  const isFollowed = watch.conductor?.pid === process.identity.pid && watch.sessionId === sessionId
  if (lies.told || !isFollowed || timeline.monotonic - cappedSince <= restSeen) return undefined
  // Something else has ended a later turn.
  const turn = sessions.get(sessionId)?.turn
  if (turn?._tag !== "Failed" || turn.reason !== "cap") return undefined
  return watch.idle === undefined && watch.person?.for.includes("cap") === true
    ? undefined
    : "the agent is at its cap, and is told as anything else"
}

/** Says what is wrong with the watch and its Conductor in a world that is healthy again, or nothing. */
export const unwell = (world: World, keeper: FaultInjector): string | undefined => {
  const { conductors, ledger, living } = world
  const conductor = conductors.findLast(({ isAlive }) => isAlive)
  const { watch } = ledger
  // Nothing is to be done, or an operator's command decides. Or the watch waits as it was told to.
  if (watch.phase === "Exited" || watch.standby !== undefined || watch.wait !== undefined || watch.held !== undefined)
    return undefined
  // The words of its session file, or of a pid file, hold it up. The time is bounded, and told.
  if (world.lies.told && (watch.person !== undefined || (watch.deferred?.until ?? 0) > world.timeline.wall))
    return undefined
  if (watch.phase !== "Watching") return `the watch is ${watch.phase}`
  // A limit ends an agent again that comes back because nothing could end it.
  if (watch.recovery?.trigger === "ceiling" && conductor?.process.onTerm === "unkillable") return undefined
  if (watch.recovery !== undefined) return "a recovery has not ended"
  const beat = Option.getOrElse(parseTime(world.comms.conductor?.lastHeartbeat ?? null), () => -Infinity)
  const beats = Math.abs(world.timeline.wall - beat) <= 240_000
  // Its heartbeat alone does not tell: the file may have been replaced, or leftovers of the Conductor beat.
  if (watch.conductor === undefined && (world.comms.conductor === undefined || (living.length === 0 && beats)))
    return undefined
  if (living.length !== 1) return `${living.length} Conductors live`
  if (!keeper.isRunning) return "no souffleur runs"
  // An unkillable Conductor cannot be ended, so no successor takes its place.
  if (conductor?.process.onTerm === "unkillable") return undefined
  const misjudged = conductor && (misjudgesCap(world, conductor) ?? misjudgesRest(world, conductor))
  if (world.solo !== undefined || misjudged !== undefined) return misjudged
  // A Conductor whose beats never came through, or tell no time, is neither dead nor fresh.
  if (world.comms.conductor === undefined || conductor?.life.beatsAs !== undefined) return undefined
  if (Option.isNone(parseTime(world.comms.conductor.lastHeartbeat))) return undefined
  // It asked while comms was locked. Its word did not come through, and it beats.
  if (conductor?.condition === "handoff" && world.comms.conductor.state !== "context_recovery") return undefined
  // By the clock of now, which was set back, it beat a moment ago.
  if (!world.steadyClock && beats) return undefined
  // The service refuses its user, or its cap is used up: the user was told, and no launch mends that.
  const needsUser =
    conductor?.isCapped === true || conductor?.life.fate === "refused" || conductor?.life.fate === "capped"
  if (conductor?.condition === "failed" && needsUser && watch.person !== undefined) return undefined
  if (conductor?.isHealthy !== true) return "the Conductor is not healthy"
  return world.comms.isForeign || world.comms.souffleur?.state === "confirmed"
    ? undefined
    : `the row says ${world.comms.souffleur?.state}`
}

/**
 * Checks comms against the log, with the files that were replaced. It has every message of the log once, in its order,
 * as far as the log was told. It also has the row's last state.
 */
export const converged = (world: World): void => {
  const { comms, id, ledger, cursor } = world
  if (world.solo !== undefined) return
  const told = Effect.runSync(cursor.position(id))
  const expected = ledger.events.flatMap((event, index) =>
    publicationOf(event).message === undefined || index + 1 > told ? [] : [index + 1]
  )
  // A message that was taken and denied is told again to a file that came in its place.
  const found = [
    ...new Set(
      [...comms.lost, ...comms.messages].flatMap(({ from, text }) => {
        const revision = from === "souffleur" ? new RegExp(`^\\[${id}#(\\d+)\\] `, "u").exec(text)?.[1] : undefined
        return revision === undefined ? [] : [Number(revision)]
      })
    )
  ]
  const known = found.filter((revision) => revision <= told)
  if (JSON.stringify(known) !== JSON.stringify(expected))
    world.violated(`comms has the messages ${known}, the log ${expected}`)
  if (found.some((revision) => revision > ledger.events.length)) world.violated("comms has a message of nothing")
}
