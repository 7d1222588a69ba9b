import { FleetWord } from "@souffleur/domain"
import {
  type Appended,
  BrokenBatch,
  type Hub,
  HubAway,
  type HubRefusal,
  type LogMark,
  LogOfAnother,
  noMark,
  NoSuchLog,
  OtherMark,
  TokenRefused,
  TooManyLogs,
  type WaitingWord
} from "@souffleur/fleet"
import { Effect } from "effect"
import type { Seed } from "../Seed.ts"
import type { SimHub } from "./SimHub.ts"

/** Milliseconds until a host takes an answer for lost. */
const patience = 10_000

/** The watch of a host, by which a liar makes its words. */
export interface LiedTo {
  readonly id: string
  readonly revision: number
  readonly stanceSince: number
}

const uuid = (n: number) => `2b1f3c9a-4e52-4a3f-9a77-${String(n).padStart(12, "0")}`

/**
 * Returns words that may not count: for another stance, for another watch, or after their end. Few ids are among
 * them, so a word comes again, and with another meaning.
 */
const falseWords = (seed: Seed, { id, revision, stanceSince }: LiedTo): ReadonlyArray<WaitingWord> =>
  Array.from({ length: seed.between(1, 5) }, () => {
    const left = seed.pick([1, 120_000, Number.MAX_SAFE_INTEGER])
    const word = { id: uuid(seed.between(1, 4)), watch: id, word: seed.pick(FleetWord.literals), person: "anna", left }
    switch (seed.pick(["earlier", "later", "another", "over"] as const)) {
      case "earlier":
        return { ...word, seen: stanceSince - seed.between(1, 9) }
      case "later":
        // The watch may come to a near one before its word is decided on. That word then counts.
        return { ...word, seen: seed.pick([revision + 100_000, Number.MAX_SAFE_INTEGER]) }
      case "another":
        return { ...word, watch: `${id}-2`, seen: revision }
      case "over":
        return { ...word, seen: revision, left: -seed.pick([1, 1000, Number.MAX_SAFE_INTEGER]) }
    }
  })

/** The wire between one host and the hub. It loses, delays and doubles requests; `lies`: the hub says anything. */
export interface WireOptions {
  readonly hub: SimHub
  readonly seed: Seed
  readonly lies: boolean
  readonly liedTo: () => LiedTo
}

/** Makes the hub as one host finds it. Nothing goes wrong where `isCalm` holds. */
export const wireTo = ({ hub, liedTo, lies, seed }: WireOptions, isCalm: () => boolean): Hub["Service"] => {
  const digest = () => Array.from({ length: 64 }, () => seed.between(0, 15).toString(16)).join("")
  const mark = () => (seed.chance(0.2) ? noMark : { position: seed.between(1, 200), digest: digest() })
  const lost = Effect.andThen(Effect.sleep(patience), Effect.fail(new HubAway({ problem: "it takes too long" })))
  const refusals = [new TokenRefused(), new LogOfAnother(), new TooManyLogs()].map((word) => Effect.fail(word))
  const other = () => new OtherMark({ mark: mark(), forked: seed.chance(0.3) })
  /** Sends a request. `falsehoods`: what a liar says instead, within the contract of that request. */
  const sent = <A, E, F = HubRefusal>(
    act: Effect.Effect<A, E>,
    falsehoods: () => ReadonlyArray<Effect.Effect<A, E | F>>
  ) =>
    Effect.gen(function* () {
      if (isCalm()) return yield* act
      const fate = seed.pick(["well", "well", "well", "slow", "away", "lost", "unanswered", "doubled"] as const)
      if (lies && seed.chance(0.5)) return yield* seed.pick(falsehoods())
      if (fate === "away") return yield* new HubAway({ problem: "it cannot be reached" })
      if (fate === "lost") return yield* lost
      if (fate === "slow") yield* Effect.sleep(seed.between(0, patience - 1))
      if (fate === "doubled") yield* Effect.exit(act)
      const answer = yield* Effect.exit(act)
      return fate === "unanswered" ? yield* lost : yield* answer
    })
  return {
    begin: (log) =>
      sent<LogMark, OtherMark>(hub.begin(log), () => [Effect.succeed(mark()), Effect.fail(other()), ...refusals]),
    look: () => Effect.die("a shipper does not look"),
    // A hub that keeps its promises has no words here.
    words: () =>
      sent<ReadonlyArray<WaitingWord>, never, TokenRefused>(Effect.succeed([]), () => [
        Effect.sync(() => falseWords(seed, liedTo()))
      ]),
    answer: () => sent<void, never, TokenRefused>(Effect.void, () => [Effect.void, Effect.fail(new TokenRefused())]),
    append: (log, batch) => {
      const appended = Effect.map(hub.append(log, batch), (mark): Appended => ({ ...mark, words: lies }))
      return sent<Appended, OtherMark | NoSuchLog | BrokenBatch>(appended, () => [
        Effect.succeed({ ...mark(), words: true }),
        Effect.fail(other()),
        Effect.fail(new NoSuchLog()),
        Effect.fail(new BrokenBatch()),
        ...refusals
      ])
    },
    fork: (log) => sent<void, NoSuchLog>(hub.fork(log), () => [Effect.void, Effect.fail(new NoSuchLog()), ...refusals])
  }
}
