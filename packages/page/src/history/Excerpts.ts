import { evolve, initial, type Recorded, type Watch } from "@souffleur/domain"
import { Cache, Effect, Ref } from "effect"
import type { Excerpt } from "./Excerpt.ts"

/** Watches that are known between two looks, and how long after the first look. */
const [kept, keptFor] = [8, "1 hour"] as const

/** Revisions between two kept states, and of one read. An excerpt has up to three times as many. */
const every = 500

/** A watch as it was at a revision. An excerpt can begin there. */
interface Mark {
  readonly revision: number
  readonly watch: Watch
}

/** All that is kept of a watch: some of its states, and its newest events. */
interface Known {
  readonly marks: ReadonlyArray<Mark>
  readonly now: Watch
  /** The events after the mark of the newest excerpt. */
  readonly newest: ReadonlyArray<Recorded>
}

const nothing: Known = { marks: [{ revision: 0, watch: initial }], now: initial, newest: [] }

/** Returns the mark of an excerpt around a revision: the last one with enough events after it. */
const markBefore = ({ marks }: Known, revision: number): Mark =>
  marks.findLast((mark) => mark.revision <= revision - every) ?? marks[0]!

/** Adds events that came. A mark waits for the end of a recovery, so that a drawing shows that whole. */
const learnt = (known: Known, came: ReadonlyArray<Recorded>): Known => {
  const fresh = came.filter(({ revision }) => revision > known.now.revision)
  const marks = [...known.marks]
  let now = known.now
  for (const { event, revision } of fresh) {
    now = evolve(now, event)
    const since = revision - marks.at(-1)!.revision
    if (since >= 2 * every || (since >= every && now.recovery === undefined)) marks.push({ revision, watch: now })
  }
  const next = { marks, now, newest: [...known.newest, ...fresh] }
  const { revision: from } = markBefore(next, now.revision)
  return { ...next, newest: next.newest.filter(({ revision }) => revision > from) }
}

/** Reads the events of a watch after a revision, up to another one. */
interface WatchHistory<E> {
  readonly history: (
    id: string,
    range: { readonly after: number; readonly upTo: number }
  ) => Effect.Effect<ReadonlyArray<Recorded>, E>
}

/** Reads an excerpt of a watch by its id; {@link makeExcerpts} makes it. */
export type Excerpts<E> = (id: string, around?: number) => Effect.Effect<Excerpt, E>

/**
 * Makes the reading of excerpts of a watch, around a revision, or of its newest events. The first look folds all events
 * once, a piece at a time. Later ones read no more than they show. Each fails as `history` does.
 */
export const makeExcerpts = Effect.fnUntraced(function* <E>(source: WatchHistory<E>) {
  const watches = yield* Cache.make<string, Ref.Ref<Known>>({
    capacity: kept,
    timeToLive: keptFor,
    lookup: () => Ref.make(nothing)
  })
  const read: Excerpts<E> = Effect.fn("Excerpts.read")(function* (id, around) {
    const ref = yield* Cache.get(watches, id)
    const readBetween = (after: number, upTo: number) => source.history(id, { after, upTo })
    let known = yield* Ref.get(ref)
    for (let more = true; more;) {
      const { revision } = known.now
      const came = yield* readBetween(revision, revision + every)
      // Another reader may have read the same meanwhile.
      known = yield* Ref.updateAndGet(ref, (before) => learnt(before, came))
      more = came.length === every
    }
    const last = known.now.revision
    const end = Math.min(last, (around ?? last) + every)
    const { revision, watch } = markBefore(known, Math.min(last, around ?? last))
    const events =
      end === last && known.newest[0]?.revision === revision + 1 ? known.newest : yield* readBetween(revision, end)
    return { id, before: watch, events, last } satisfies Excerpt
  })
  return read
})
