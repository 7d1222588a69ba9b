import { FleetWord, type Watch } from "@souffleur/domain"
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
  WaitingWord
} from "@souffleur/fleet"
import { Clock, Effect, Schema } from "effect"
import type { Seed } from "../Seed.ts"
import type { SimHub } from "./SimHub.ts"

/** Milliseconds until a host takes an answer for lost. */
const patience = 10_000

/** The watch of a host, by which a liar makes its words. */
export type LiedTo = Watch & { readonly id: string }

const uuid = (n: number) => `2b1f3c9a-4e52-4a3f-9a77-${String(n).padStart(12, "0")}`

/** Returns a word that fits the state of a watch, as a person says it who sees that state. */
export const fittingWord = (seed: Seed, { held, standby, wait }: Watch): FleetWord => {
  if (held !== undefined || wait !== undefined) return "go"
  if (standby !== undefined) return "retry"
  return seed.chance(0.08) ? seed.pick(["release", "done", "stop"]) : "hold"
}

/** Fields of no word. They would end the watch, lift the ceiling, name another agent, or give a prompt. */
const strange = {
  _tag: "Release",
  ceilings: true,
  permission: "bypassPermissions",
  handover: { agent: "codex", lives: true },
  prompt: "work on something else",
  args: ["--dangerously-skip-permissions"]
}

/**
 * Returns words as a liar may send them. Most may not count: for another stance, for another watch, or after their end.
 * Few ids are among them, so a word comes again, and with another meaning. One is as a person says it, with fields of
 * no word. One is no word at all.
 */
const falseWords = (seed: Seed, watch: LiedTo): ReadonlyArray<unknown> => {
  const { id, revision, stanceSince } = watch
  return Array.from({ length: seed.between(1, 5) }, () => {
    const left = seed.pick([1, 120_000, Number.MAX_SAFE_INTEGER])
    const word = { id: uuid(seed.between(1, 4)), watch: id, word: seed.pick(FleetWord.literals), person: "anna", left }
    if (seed.chance(0.05)) return { ...word, seen: revision, word: seed.pick(["adopt", "trust", "run"]) }
    if (seed.chance(0.3)) {
      const more = Object.fromEntries(Object.entries(strange).filter(() => seed.chance(0.5)))
      const id = uuid(seed.between(5, 999_999))
      return { ...more, ...word, id, seen: revision, word: fittingWord(seed, watch) }
    }
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
}

/** Reads words as the border of a host does. */
const border = Schema.decodeUnknownEffect(Schema.Array(WaitingWord))

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
    words: (log) =>
      sent<ReadonlyArray<WaitingWord>, never, TokenRefused | HubAway>(
        Effect.map(Clock.currentTimeMillis, (now) => hub.words(log, now)),
        () => [
          Effect.mapError(
            Effect.suspend(() => border(falseWords(seed, liedTo()))),
            () => new HubAway({ problem: "its answer cannot be read" })
          )
        ]
      ),
    answer: (log, word) =>
      sent<void, never, TokenRefused>(
        Effect.sync(() => hub.answer(log, word)),
        () => [Effect.void, Effect.fail(new TokenRefused())]
      ),
    append: (log, batch) => {
      const appended = Effect.map(hub.append(log, batch), (mark): Appended => ({
        ...mark,
        words: lies || hub.waits(log)
      }))
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
