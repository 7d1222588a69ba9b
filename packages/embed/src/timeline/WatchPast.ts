import { EventLog, evolve, type Recorded, type Watch, watches, watchMilestone } from "@souffleur/domain"
import { Effect, Option, Stream } from "effect"
import type { RevisionRange } from "../SouffleurOptions.ts"

/** A part of the history of a watch, with the state before its first event. */
export interface WatchPart {
  /** The revision of that state. */
  readonly after: number
  readonly before: Watch
  readonly events: ReadonlyArray<Recorded>
  /** True if no event is newer. */
  readonly isNewest: boolean
}

/** The part that is asked for: around a revision, or from there to the newest event. */
interface Wanted {
  readonly id: string
  /** The newest revision of the watch. */
  readonly newest: number
  readonly around: number
  readonly toNewest?: boolean
}

/**
 * Reads a part of a long history, and a larger one until `find` finds something in it. Returns `undefined` where it
 * finds nothing in the whole history. Fails as the log does.
 */
export const searched = Effect.fn("searched")(function* <A>(
  { around, id, newest, toNewest = false }: Wanted,
  find: (part: WatchPart) => A | undefined
) {
  const log = yield* EventLog
  // A recovery has about thirty events.
  for (let side = watchMilestone; ; side *= 4) {
    const after = Math.max(0, Math.floor((around - side) / watchMilestone) * watchMilestone)
    const upTo = toNewest ? newest : Math.min(newest, around + side)
    const before = yield* watches.at(id, after)
    const events = yield* log.read(id, after, upTo)
    const found = find({ after, before, events, isNewest: upTo === newest })
    if (found !== undefined || (after === 0 && upTo === newest)) return found
  }
})

/**
 * Returns the revision of the last event up to a time (epoch ms), by halves; 0: there is none. Where the clock was set
 * back there may be several, and it is one of them.
 */
export const revisionAt = Effect.fn("revisionAt")(function* (id: string, newest: number, time: number) {
  const log = yield* EventLog
  let [low, high] = [0, newest]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [one] = yield* log.read(id, middle - 1, middle)
    if (one !== undefined && one.event.at <= time) low = middle
    else high = middle - 1
  }
  return low
})

/** Revisions of the first read of a stream of events, and of a later one. */
const [firstPage, laterPage] = [50, 1000]

/**
 * Streams the events after a revision, up to another one. `history` reads some of them. The first come at once, and no
 * list holds all.
 */
export const eventsBetween = <E>(
  history: (range: Required<RevisionRange>) => Effect.Effect<ReadonlyArray<Recorded>, E>,
  after: number,
  upTo: number
) =>
  Stream.paginate(after, (from) => {
    const to = Math.min(upTo, from + (from === after ? firstPage : laterPage))
    const next = to < upTo ? Option.some(to) : Option.none<number>()
    return Effect.map(history({ after: from, upTo: to }), (events) => [events, next] as const)
  })

/** The fields of a watch that say what is under way. */
const underWay = ["held", "person", "recovery", "standby", "wait"] as const

/** Returns whether everything that is under way at a revision began within this part. */
export const isWhole = ({ after, before, events }: WatchPart, around: number): boolean => {
  let watch = before
  let earlier = underWay.filter((field) => watch[field] !== undefined)
  for (const { event, revision } of events) {
    if (revision > around || earlier.length === 0) break
    watch = evolve(watch, event)
    earlier = earlier.filter((field) => watch[field] !== undefined)
  }
  return after === 0 || earlier.length === 0
}

/** Reads the events of a watch after a revision, and with them what was under way by then. */
export const partAfter = Effect.fn("partAfter")(function* (id: string, newest: number, revision: number) {
  const wanted = { id, newest, around: revision, toNewest: true }
  return (yield* searched(wanted, (part) => (isWhole(part, revision) ? part : undefined)))!
})

/** Reads the events of a watch since a time (epoch ms), and with them what was under way by then. */
export const partSince = Effect.fn("partSince")(function* (id: string, newest: number, since: number) {
  return yield* partAfter(id, newest, yield* revisionAt(id, newest, since - 1))
})
