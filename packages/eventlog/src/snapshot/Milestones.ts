import { Effect } from "effect"
import type { Log } from "../Log.ts"
import { type Fold, stateCodec } from "./Fold.ts"
import type { FoldName, KeyedSnapshot } from "./Snapshots.ts"

/** Characters of a state that is worth its place. A state that grows would make the file grow with its square. */
const maxLength = 20_000

const nameAt = ({ fingerprint, kind }: FoldName, revision: number): FoldName => ({
  kind: `${kind}@${revision}`,
  fingerprint
})

/**
 * Keeps states along a long stream. A look at its past folds the events after one of them, and not all events before
 * it. They are snapshots, and may be lost at any time (decision 0008).
 */
export const milestones = <State extends { readonly revision: number }, Event, Shown extends keyof State>(
  fold: Fold<State, Event, Shown>
) => {
  const codec = stateCodec(fold)
  const { milestoneEvery } = fold
  return {
    /** Returns whether the state after this revision is a milestone. */
    isOne: (revision: number) => milestoneEvery !== undefined && revision % milestoneEvery === 0,

    /** Keeps some. Where the store refuses one, each look folds its events again. */
    keep: Effect.fnUntraced(function* (log: Log<Event>, passed: ReadonlyArray<KeyedSnapshot>) {
      for (const one of passed)
        if (one.state.length <= maxLength)
          yield* Effect.ignore(log.snapshots.keep(nameAt(fold.name, one.revision), { ...one, keys: [], brief: "" }))
    }),

    /** Returns the last milestone that is not after a revision, else the initial state. */
    before: Effect.fnUntraced(function* (log: Log<Event>, stream: string, revision: number) {
      if (milestoneEvery === undefined) return fold.initial
      for (let at = revision - (revision % milestoneEvery); at > 0; at -= milestoneEvery) {
        const kept = yield* Effect.orElseSucceed(log.snapshots.one(nameAt(fold.name, at), stream), () => undefined)
        const state = kept === undefined ? undefined : codec.decode(kept)
        if (state !== undefined) return state
      }
      return fold.initial
    })
  }
}
