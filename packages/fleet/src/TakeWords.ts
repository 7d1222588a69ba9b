import { defectName } from "@souffleur/domain"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import { makeAllowance } from "./bounds/Allowance.ts"
import { Hub } from "./Hub.ts"
import { type DueWord, longestWord, maxWaiting, type WordAnswer } from "./SaidWord.ts"

/** A word could not be decided on, such as where the log cannot be written. It is tried again. */
export class WordLost extends Schema.TaggedError<WordLost>()("WordLost", { problem: Schema.String }) {
  override get message(): string {
    return `a word of the fleet could not be decided on: ${this.problem}`
  }
}

/** Decides on the words of a fleet for this host. It writes the log, and so belongs in a process of its own. */
export class WordTaker extends Context.Service<
  WordTaker,
  { readonly take: (word: DueWord) => Effect.Effect<WordAnswer, WordLost> }
>()("@souffleur/fleet/WordTaker") {}

/** The words that this host decides on. Each starts a process, and a lying hub has ever more of them. */
const turns = { times: maxWaiting, within: Duration.minutes(1) }

/** News of a word. `Answered`: the hub knows the answer. */
export type WordNews =
  | { readonly _tag: "Answered"; readonly word: DueWord; readonly answer: WordAnswer }
  | { readonly _tag: "Lost"; readonly word: DueWord; readonly problem: string }

/**
 * Has this host decide on the words that the hub has for its watches, and answers them (spec: fleet#words). It does not
 * end by itself. A word without an answer comes again. Fails with `TokenRefused`.
 */
export const takeWords = Effect.fn("takeWords")(function* (of: {
  readonly log: string
  /** Waits until words wait at the hub. */
  readonly waiting: Effect.Effect<void>
  readonly tell: (news: WordNews) => Effect.Effect<void>
}) {
  const hub = yield* Hub
  const taker = yield* WordTaker
  const turn = yield* makeAllowance(turns)
  const taken = Effect.fnUntraced(function* (word: DueWord) {
    yield* turn
    // A bug in it must not end the shipper beside it.
    const answer = yield* Effect.catchDefect(
      taker.take(word),
      (defect) => new WordLost({ problem: defectName(defect) })
    )
    yield* hub.answer(of.log, word.id, answer)
    yield* of.tell({ _tag: "Answered", word, answer })
  })
  const look = Effect.gen(function* () {
    // The time of the question, and not of its answer. So a slow answer makes no word last longer.
    const asked = yield* Clock.currentTimeMillis
    const words = yield* hub.words(of.log)
    yield* Effect.forEach(
      words.map(({ left, ...word }): DueWord => ({ ...word, until: asked + Math.min(left, longestWord) })),
      (word) => Effect.catchTag(taken(word), "WordLost", ({ problem }) => of.tell({ _tag: "Lost", word, problem })),
      { discard: true }
    )
  })
  // The shipper tells a hub that is away, and hears again of the words that wait.
  return yield* Effect.forever(
    Effect.andThen(
      of.waiting,
      Effect.catchTag(look, "HubAway", () => Effect.void)
    )
  )
})
