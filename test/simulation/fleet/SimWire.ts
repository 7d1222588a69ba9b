import {
  type Appended,
  BrokenBatch,
  type Hub,
  HubAway,
  type HubRefusal,
  LogOfAnother,
  noMark,
  NoSuchLog,
  OtherMark,
  TokenRefused,
  TooManyLogs
} from "@souffleur/fleet"
import { Effect } from "effect"
import type { Seed } from "../Seed.ts"
import type { SimHub } from "./SimHub.ts"

/** Milliseconds until a host takes an answer for lost. */
const patience = 10_000

/** The wire between one host and the hub. It loses, delays and doubles requests; `lies`: the hub says anything. */
export interface WireOptions {
  readonly hub: SimHub
  readonly seed: Seed
  readonly lies: boolean
}

/** Makes the hub as one host finds it. Nothing goes wrong where `isCalm` holds. */
export const wireTo = ({ hub, lies, seed }: WireOptions, isCalm: () => boolean): Hub["Service"] => {
  const digest = () => Array.from({ length: 64 }, () => seed.between(0, 15).toString(16)).join("")
  const mark = () => (seed.chance(0.2) ? noMark : { position: seed.between(1, 200), digest: digest() })
  const lost = Effect.andThen(Effect.sleep(patience), Effect.fail(new HubAway({ problem: "it takes too long" })))
  const refusals = [new TokenRefused(), new LogOfAnother(), new TooManyLogs()].map((word) => Effect.fail(word))
  const other = () => new OtherMark({ mark: mark(), forked: seed.chance(0.3) })
  /** Sends a request. `falsehoods`: what a liar says instead, within the contract of that request. */
  const sent = <A, E>(act: Effect.Effect<A, E>, falsehoods: () => ReadonlyArray<Effect.Effect<A, E | HubRefusal>>) =>
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
    begin: (log) => sent(hub.begin(log), () => [Effect.succeed(mark()), Effect.fail(other()), ...refusals]),
    look: () => Effect.die("a shipper does not look"),
    words: () => Effect.die("a shipper asks for no words"),
    answer: () => Effect.die("a shipper answers no words"),
    append: (log, batch) => {
      const appended = Effect.map(hub.append(log, batch), (mark): Appended => ({ ...mark, words: false }))
      return sent<Appended, OtherMark | NoSuchLog | BrokenBatch>(appended, () => [
        Effect.succeed({ ...mark(), words: true }),
        Effect.fail(other()),
        Effect.fail(new NoSuchLog()),
        Effect.fail(new BrokenBatch()),
        ...refusals
      ])
    },
    fork: (log) => sent(hub.fork(log), () => [Effect.void, Effect.fail(new NoSuchLog()), ...refusals])
  }
}
