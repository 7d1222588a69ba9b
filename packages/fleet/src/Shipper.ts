import { momentNow } from "@souffleur/domain"
import type { LogUnusable } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Runtime, Schedule, Schema } from "effect"
import { makeAllowance } from "./bounds/Allowance.ts"
import { markAfter, noMark } from "./Chain.ts"
import { type Introduction, maxBatchEvents, type OtherMark } from "./FleetApi.ts"
import type { FleetEvent, LogMark } from "./FleetEvent.ts"
import { Hub, type HubAway } from "./Hub.ts"
import { decideShipment } from "./ShipDecision.ts"
import { ShippedLog } from "./ShippedLog.ts"

/** Two logs have one name: the state folder was copied, or restored from a backup. Nothing more is shipped. */
export class LogForked extends Schema.TaggedError<LogForked>()("LogForked", { at: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return `the hub has another log under this name, at or before position ${this.at}, so it takes neither: a state folder was copied or restored. "souffleur fleet rename" gives this log a name of its own, here as on the other host`
  }
}

/** News of a shipper on its way. */
export type ShipNews =
  | { readonly _tag: "Begun"; readonly mark: LogMark }
  | { readonly _tag: "Away"; readonly problem: string }
  | { readonly _tag: "Back"; readonly mark: LogMark }
  /** The hub takes no more events of this host for `left` ms. They stay in its log, and are shipped then. */
  | { readonly _tag: "Full"; readonly problem: string; readonly left: number }

/** A log to ship, and the reader of its news. */
export interface Shipment {
  readonly log: string
  readonly who: Introduction
  readonly tell: (news: ShipNews) => Effect.Effect<void>
  /** Is told that words wait at the hub for this log, as long as they do. Absent: this host takes none. */
  readonly wordsWait?: Effect.Effect<void>
}

/** The pauses between tries. Hosts that lost their hub together do not come back in one moment. */
const untilReached = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered
)
/** The pause between two looks at a log that had nothing new. */
const look = Duration.seconds(1)
/**
 * How often a hub sets its host back, which reads its log again then, and ships it again. A restored hub does so once.
 * A hub that does so for ever costs next to nothing.
 */
const setbacks = { times: 4, within: Duration.minutes(10) }
/** Milliseconds after which a host without news says that it lives. */
const beatMillis = 10_000
/** Time for a goodbye. The sender of a signal waits about a second, and the end of a shipper for no hub. */
const goodbyeTimeout = Duration.millis(800)
/** UTF-16 units of data in one batch, unless its first event alone has more. */
const maxBatchLength = 1_000_000

/** Returns the first events that one batch takes. */
export const batchOf = (events: ReadonlyArray<FleetEvent>): ReadonlyArray<FleetEvent> => {
  let length = 0
  const end = events.findIndex((event) => (length += event[6].length) > maxBatchLength)
  return end === -1 ? events : events.slice(0, Math.max(1, end))
}

/**
 * Ships the log of this host to the hub, and does not end by itself (spec: fleet#a-host). Keeps nothing, because the
 * hub says where to continue. Fails with `LogForked`, `TokenRefused` and `LogOfAnother`, which need a person, and with
 * `LogUnusable`. When interrupted it says goodbye to the hub.
 *
 * It belongs in a process of its own, so that a hub that hangs can never hold a watch.
 *
 * @example
 * ```ts
 * import { Hub, ship } from "@souffleur/fleet"
 * import { HostHashing } from "@souffleur/node"
 * import { Effect, Redacted } from "effect"
 *
 * declare const token: Redacted.Redacted
 * const shipping = ship({
 *   log: "0d2f6c2e-4b7a-4d0e-9c57-3c1a4f1e8b11",
 *   who: { host: "build1", machine: null, takesWords: false },
 *   tell: (news) => Effect.logInfo(news._tag)
 * }).pipe(Effect.provide([Hub.layerHttp({ url: "https://hub.example.org", token }), HostHashing.layer]))
 * ```
 */
export const ship = Effect.fn("ship")(function* ({ log, tell, who, wordsWait = Effect.void }: Shipment) {
  const hub = yield* Hub
  const own = yield* ShippedLog

  /** The newest mark of the own log that the hub is known to have. */
  let mark = noMark

  /** Returns the mark of the own log at a position. `undefined`: the log has no event there. */
  const markAt = Effect.fnUntraced(function* (position: number): Effect.fn.Return<LogMark | undefined, LogUnusable> {
    let at = mark.position <= position ? mark : noMark
    while (at.position < position) {
      const events = (yield* own.after(at.position, maxBatchEvents)).filter(([event]) => event <= position)
      if (events.length === 0) return undefined
      at = yield* markAfter(at, events)
    }
    return at
  })

  /** The monotonic time until which the hub takes no events of this host. It beats meanwhile. */
  let fullUntil = -Infinity
  let away = false
  /** Tries again until the hub answers, and tells the first try that failed and the end of the trouble. */
  const reached = <A, E>(call: Effect.Effect<A, E | HubAway>) =>
    call.pipe(
      Effect.tapError((error) => {
        if (away || !isAway(error)) return Effect.void
        away = true
        return tell({ _tag: "Away", problem: error.problem })
      }),
      Effect.retry({ while: isAway, schedule: untilReached })
    )

  const reconciled = Effect.fnUntraced(function* (found: Pick<OtherMark, "forked" | "mark">) {
    const decision = decideShipment(found, yield* markAt(found.mark.position))
    if (decision._tag === "GoOn") return decision.mark
    yield* Effect.catchTag(reached(hub.fork(log, found.mark)), "NoSuchLog", () => Effect.void)
    return yield* new LogForked({ at: decision.at })
  })
  const begin = reached(hub.begin(log, who)).pipe(
    Effect.map((mark) => ({ mark, forked: false })),
    Effect.catchTag("OtherMark", (found) => Effect.succeed(found)),
    Effect.flatMap(reconciled)
  )

  /** The most events of the next batch. It shrinks while batches do not arrive: a slow link, a proxy with a limit. */
  let room = maxBatchEvents
  /** Appends what fits of some events, in smaller batches after each try that failed. */
  const appended = (events: ReadonlyArray<FleetEvent>) =>
    Effect.gen(function* () {
      const some = events.slice(0, room)
      const next = yield* markAfter(mark, some)
      const batch = { after: mark, digest: next.digest, events: some, now: yield* Clock.currentTimeMillis }
      const { words } = yield* Effect.catchTag(hub.append(log, batch), "HubAway", (error) => {
        room = Math.max(1, Math.floor(some.length / 2))
        return Effect.fail(error)
      })
      // The hub and this log agree up to here. A copy of the log takes no words.
      if (words) yield* wordsWait
      room = Math.min(maxBatchEvents, 2 * room)
      return next
    })

  const setback = yield* makeAllowance(setbacks)

  mark = yield* begin
  let answeredAt = (yield* momentNow).monotonic
  yield* tell({ _tag: "Begun", mark })
  away = false
  const shipping = Effect.gen(function* () {
    while (true) {
      const full = (yield* momentNow).monotonic < fullUntil
      const events = full ? [] : batchOf(yield* own.after(mark.position, maxBatchEvents))
      if (events.length === 0 && (yield* momentNow).monotonic - answeredAt < beatMillis) {
        yield* Effect.sleep(look)
        continue
      }
      mark = yield* reached(appended(events)).pipe(
        Effect.catchTag("OtherMark", (found) =>
          // The answer to an earlier batch was lost where the hub is ahead.
          Effect.tap(reconciled(found), ({ position }) => (position > mark.position ? Effect.void : setback))
        ),
        Effect.catchTag("NoSuchLog", () => Effect.tap(begin, () => setback)),
        Effect.catchTag("QuotaReached", ({ left, message }) =>
          Effect.gen(function* () {
            fullUntil = (yield* momentNow).monotonic + left
            yield* tell({ _tag: "Full", problem: message, left })
            return mark
          })
        )
      )
      answeredAt = (yield* momentNow).monotonic
      if (away) yield* tell({ _tag: "Back", mark })
      away = false
    }
  })
  // The hub takes it at its own mark alone. So a copy of the log excuses no silence of the other host.
  const goodbye = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    hub.append(log, { after: mark, digest: mark.digest, events: [], now, away: true })
  ).pipe(Effect.timeout(goodbyeTimeout), Effect.ignore)
  return yield* Effect.onInterrupt(shipping, () => goodbye)
})

const isAway = (error: unknown): error is HubAway => (error as { readonly _tag?: unknown })._tag === "HubAway"
