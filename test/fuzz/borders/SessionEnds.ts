import {
  decide,
  decodeEvent,
  encodeEvent,
  evolve,
  initial,
  judge,
  type TurnState,
  type Watch,
  type WatchEvent,
  type WatchIntent
} from "@souffleur/domain"
import { Option, Result } from "effect"
import { reasonOf, reasonText, sentence, statusLine } from "@souffleur/embed/internal"
import { makeEnd } from "../../../packages/agents/test/claude/support/ClaudePort.ts"
import { watching } from "../../../packages/domain/test/Given.ts"
import { noticeOf, noEpisode } from "../../../packages/supervisor/src/Notifier.ts"
import { classify, evidenceOf } from "../../../packages/watcher/src/Classify.ts"
import { excuseOf } from "../../../packages/watcher/src/Excuse.ts"
import type { Observation } from "../../../packages/watcher/src/Observation.ts"
import type { Seed } from "../../simulation/Seed.ts"
import { border, holds } from "../Border.ts"
import { some, time, today, word } from "../Hostile.ts"
import { record } from "../SessionRecords.ts"

const minute = 60_000
/** The longest wait that a session may state, and the stalls of a call after it, ms. */
const longest = (8 * 24 + 1) * 60 * minute

/** Draws a watch with a watcher, in its state of today. */
const watched = (seed: Seed): Watch => {
  const [opened, ...rest] = watching.map((event) => ({ ...event, at: today - 30 * minute }) as WatchEvent)
  const comms = seed.chance(0.5) ? "/p/comms.db" : null
  return [{ ...opened, comms } as WatchEvent, ...rest].reduce(evolve, initial)
}

const observationOf = (seed: Seed, watch: Watch): Observation => {
  const reading = makeEnd()
  for (const one of some(seed, 8, () => record(seed))) if (reading.take(one, today - 5000) === "enough") break
  const signs = {
    now: today,
    process: seed.pick(["running", "running", "stopped", "gone"] as const),
    turnEnded: seed.chance(0.2),
    children: seed.pick([undefined, 0, 2]),
    stillSince: seed.pick([undefined, today - minute, today - 10 * minute]),
    session: { writtenAt: seed.pick([today - 5000, today - 5000, 0, 8.64e15]), ...reading.result() },
    pidFile: seed.chance(0.5)
      ? { status: seed.pick(["busy", "idle", "waiting", word(seed)]), waitingFor: word(seed), writtenAt: today - 1000 }
      : undefined,
    hook: seed.chance(0.3) ? { event: "Stop", at: today - 1000 } : undefined,
    beat: undefined,
    since: today - 5 * minute
  }
  const stallAfter = 361_000
  const verdict = judge(signs, stallAfter)
  const row = {
    state: seed.pick(["working", "context_recovery", word(seed)]),
    lastHeartbeat: seed.pick([null, time(seed)]),
    sessionId: seed.pick([null, word(seed)])
  }
  return {
    now: today,
    read: { wall: today, monotonic: 0 },
    process: signs.process,
    end: undefined,
    endReason: undefined,
    endedAt: undefined,
    unseen: false,
    loginRenewed: seed.chance(0.1),
    comms:
      watch.comms === null
        ? undefined
        : {
            conductor: Option.some(row),
            souffleur: Option.some("confirmed"),
            taskCount: 2,
            taskFingerprint: "a",

            lastMessageId: 7
          },
    heartbeat: { raw: row.lastHeartbeat, changedAt: undefined },
    notBefore: today - 30 * minute,
    staleAfter: 240_000,
    otherStateSeen: true,
    newPayload: false,
    turnEnded: false,
    signs,
    verdict,
    excuse: excuseOf({ answeredAt: 0, now: today, process: signs.process, signs, stallAfter, verdict }),
    asksFirst: false,
    handoffTimedOut: false,
    ending: undefined,
    returned: undefined,
    resolved: undefined,
    foundSession: undefined
  }
}

/** The reports of the watcher on an observation, as commands. */
const wordsOf = (watch: Watch, seen: Observation): ReadonlyArray<WatchIntent> => {
  const watcher = watch.watcher!.watcher
  const { excuse } = seen
  const exit = Option.getOrUndefined(classify(watch, seen))
  const context = seen.signs.session?.context
  return [
    ...(seen.verdict._tag === "Waiting"
      ? [{ _tag: "ReportPerson", watcher, for: seen.verdict.for.slice(0, 100) } as const]
      : []),
    ...(excuse === undefined || excuse.until === Infinity
      ? []
      : [{ _tag: "ReportDeferred", watcher, message: excuse.because, until: Math.round(excuse.until) } as const]),
    ...(context === undefined
      ? []
      : [
          {
            _tag: "ReportCeiling",
            since: watch.allowedSince,
            ceiling: "tokens",
            used: context.tokens,
            limit: 1000
          } as const
        ]),
    ...(exit === undefined
      ? []
      : [
          {
            _tag: "ReportExit",
            watcher,
            exit,
            tasks: { count: 2, fingerprint: "a" },
            evidence: evidenceOf(watch, seen)
          } as const
        ])
  ]
}

const untilOf = (event: WatchEvent): number =>
  event._tag === "WaitStarted" || event._tag === "KillDeferred" ? event.until : today
const held = (turn: TurnState | undefined): number =>
  turn?._tag === "Retrying" ? turn.nextAt : turn?._tag === "Failed" ? (turn.resetsAt ?? today) : today

/** Checks the end of a session, its classification, and the event from it. The event is taken, read again, and told. */
export const sessionEnds = border("session-ends", {
  share: 20,
  draw: (seed) => {
    const watch = watched(seed)
    return { watch, seen: observationOf(seed, watch) }
  },
  checks: {
    "is told": ({ seen, watch }) => {
      let now = watch
      const recorded = []
      for (const intent of wordsOf(watch, seen)) {
        const decided = decide(now, { ...intent, now: today, by: { _tag: "Owner", fence: now.fence } })
        for (const event of Result.isSuccess(decided) ? decided.success : []) {
          const again = decodeEvent("opera-0001", now.revision + 1, encodeEvent(event))
          holds(Result.isSuccess(again), `${event._tag} is stored, and cannot be read again`)
          holds(
            untilOf(event) <= today + longest,
            `${event._tag} holds the watch up for longer than eight days`,
            untilOf(event)
          )
          const notice = noticeOf("opera-0001", event, { ...noEpisode, watch: now })
          now = evolve(now, event)
          recorded.push({ position: now.revision, stream: "opera-0001", revision: now.revision, event })
          const told = [
            sentence(event, now),
            statusLine(now),
            notice?.text ?? "",
            ...(reasonOf(recorded, Number.POSITIVE_INFINITY) === undefined
              ? []
              : reasonText(reasonOf(recorded, Number.POSITIVE_INFINITY)!, now))
          ]
          void told
        }
      }
    },
    "states nothing beyond what a clock can": ({ seen }) =>
      holds(
        Math.abs(held(seen.signs.session?.turn)) <= 8.64e15,
        "a turn lasts longer than time",
        seen.signs.session?.turn
      ),
    "counts what can be counted": ({ seen }) => {
      const context = seen.signs.session?.context
      holds(
        context === undefined || (Number.isSafeInteger(context.tokens) && context.tokens >= 0),
        "it uses a context of no count",
        context
      )
      holds(
        context?.window === undefined || Number.isSafeInteger(context.window),
        "its window is no count",
        context?.model
      )
    }
  }
})
