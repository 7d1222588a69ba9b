import { Effect, Layer, Ref } from "effect"
import { Hashing } from "@souffleur/domain"
import { LogUnusable } from "@souffleur/eventlog"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import {
  type FleetEvent,
  Hub,
  HubAway,
  type LogMark,
  markAfter,
  noMark,
  NoSuchLog,
  OtherMark,
  QuotaReached,
  ship,
  ShippedLog,
  type ShipNews,
  TokenRefused,
  type WaitingWord
} from "../src/index.ts"

/** Hashes at once. Under `TestClock` nothing waits for a digest of the platform. */
export const layerHashing = Layer.succeed(Hashing, (bytes) => Effect.sync(() => hash("sha256", bytes)))

/** An event at a position. */
export const eventAt = (position: number, data = `{"n":${position}}`): FleetEvent => [
  position,
  "app-1",
  position,
  "WatchOpened",
  1,
  position,
  data
]

/** The fate of one request to the hub. `lost`: it acts, and its answer does not arrive. */
type Weather = "well" | "away" | "lost" | "revoked"

/** The log of a host, and a hub in memory that keeps its promises through any weather. */
export const fleetWorld = Effect.gen(function* () {
  const events: Array<FleetEvent> = []
  const copied: Array<FleetEvent> = []
  const news: Array<ShipNews> = []
  const beats: Array<number> = []
  const state = {
    mark: noMark,
    forked: false,
    forks: 0,
    requests: 0,
    read: 0,
    unreadable: false,
    lies: false,
    begun: false,
    /** The last batch was a goodbye. */
    away: false,
    /** The hub never answers. */
    hangs: false,
    /** The hub takes no events for that time, ms; 0: it takes them. */
    full: 0,
    /** The most events of a batch that gets through. */
    passes: Number.MAX_SAFE_INTEGER,
    /** The words that wait for the host, and its answers to them. */
    words: [] as ReadonlyArray<WaitingWord>,
    toldOfWords: 0,
    answers: [] as Array<readonly [word: string, reason: string | null]>
  }
  const weather = yield* Ref.make<ReadonlyArray<Weather>>([])
  const answer = <A, E>(act: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      state.requests++
      if (state.hangs) return yield* Effect.never
      const [now = "well", ...later] = yield* Ref.get(weather)
      yield* Ref.set(weather, later)
      if (now === "away") return yield* new HubAway({ problem: "refused" })
      if (now === "revoked") return yield* new TokenRefused()
      const answered = yield* act
      return now === "lost" ? yield* new HubAway({ problem: "timeout" }) : answered
    })
  const other = Effect.suspend(() => new OtherMark({ mark: state.mark, forked: state.forked }))
  const layer = Layer.merge(
    Layer.succeed(
      Hub,
      Hub.of({
        begin: () =>
          answer(
            Effect.suspend(() => {
              state.begun = true
              return state.forked ? other : Effect.succeed(state.mark)
            })
          ),
        look: () =>
          answer(Effect.sync(() => ({ mark: state.mark, name: "one", forked: state.forked, lastSeenAgo: 0 }))),
        append: (_, { after, away = false, digest, events: batch }) =>
          answer(
            Effect.gen(function* () {
              if (batch.length > state.passes) return yield* new HubAway({ problem: "HTTP status 413" })
              if (!state.begun) return yield* new NoSuchLog()
              if (
                state.lies ||
                state.forked ||
                after.position !== state.mark.position ||
                after.digest !== state.mark.digest
              )
                return yield* other
              if (state.full > 0 && batch.length > 0)
                return yield* new QuotaReached({ quota: 1_000_000_000, left: state.full })
              const mark = yield* markAfter(after, batch)
              if (mark.digest !== digest) return yield* Effect.die("a broken batch")
              copied.push(...batch)
              if (batch.length === 0) beats.push(state.requests)
              state.mark = mark
              state.away = away
              return { ...mark, words: state.words.length > 0 }
            })
          ),
        fork: () => answer(Effect.sync(() => void (state.forks++, (state.forked = true)))),
        words: () => answer(Effect.sync(() => state.words)),
        answer: (_, word, said) => answer(Effect.sync(() => void state.answers.push([word, said.reason])))
      })
    ),
    Layer.succeed(
      ShippedLog,
      ShippedLog.of({
        after: (position, maxEvents) =>
          state.unreadable
            ? new LogUnusable({ reason: "damaged", problem: "it is damaged" })
            : Effect.sync(() => {
                const found = events.filter(([at]) => at > position).slice(0, maxEvents)
                state.read += found.length
                return found
              })
      })
    )
  )
  return {
    layer,
    events,
    copied,
    news,
    beats,
    state,
    weather: (...ahead: ReadonlyArray<Weather>) => Ref.set(weather, ahead),
    /** Lets the hub forget the log, as after a backup from before its begin. */
    forgotten: Effect.sync(() => {
      copied.length = 0
      state.begun = false
      state.mark = noMark
    }),
    /** Lets the hub have these events under its mark, as if another host had shipped them. */
    given: (...all: ReadonlyArray<FleetEvent>) =>
      Effect.map(markAfter(noMark, all), (mark: LogMark) => {
        copied.push(...all)
        state.mark = mark
      }),
    shipping: ship({
      log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1",
      who: { host: "h", machine: null, takesWords: true },
      tell: (one) => Effect.sync(() => void news.push(one)),
      wordsWait: Effect.sync(() => void state.toldOfWords++)
    }).pipe(Effect.provide(layer)),
    /** Moves the time on until the hub has every event of the log. */
    caughtUp: Effect.repeat(TestClock.adjust("100 millis"), { until: () => copied.length >= events.length }),
    tags: () => news.map(({ _tag }) => _tag)
  }
})
