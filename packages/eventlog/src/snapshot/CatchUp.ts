import { Effect, Stream } from "effect"
import { type Log, missing, type RecordedAs, type UnreadableEvent } from "../Log.ts"
import { briefCodec, type Fold, stateCodec } from "./Fold.ts"
import { milestones } from "./Milestones.ts"
import type { Folded, KeyedSnapshot, Snapshot } from "./Snapshots.ts"

/** An aggregate with its place in the log. */
export interface Placed<State> {
  readonly stream: string
  readonly opened: number
  /** The position of its last event. */
  readonly position: number
  readonly state: State
  /** The first event that cannot be read. */
  readonly unreadable?: UnreadableEvent
}

/** The aggregates of a log as they are now. */
export interface Present<State> {
  /** Every aggregate that has not ended, and each with news that the snapshots do not have. */
  readonly placed: ReadonlyArray<Placed<State>>
  /** True if the snapshots have all others. `false`: there are no others. */
  readonly more: boolean
  /** The number of `placed` that the snapshots still count as ended. */
  readonly countedEnded: number
}

/** The events of a long log that are folded before they are kept. A process that dies in between keeps what is done. */
const segment = 10_000

/** Folds an event for every fold. Returns `undefined` where an event is missing before it. */
const next = <State extends { readonly revision: number }, Event>(
  { evolve }: Fold<State, Event>,
  before: Placed<State>,
  { event, position, revision }: RecordedAs<Event>
): Placed<State> | undefined => {
  // The snapshot of a stream may be newer than the mark.
  if (revision <= before.state.revision) return before
  return revision === before.state.revision + 1
    ? { ...before, position, state: evolve(before.state, event) }
    : undefined
}

/**
 * Brings the snapshots up to the log by one pass over the events that came since. Fails with `UnreadableEvent` where
 * one of those cannot be read, or is missing.
 */
export const catchUp = <State extends { readonly revision: number }, Event, Shown extends keyof State>(
  fold: Fold<State, Event, Shown>
) => {
  const codec = stateCodec(fold)
  const briefs = briefCodec(fold)
  const along = milestones(fold)
  const kept = ({ opened, position, state, stream }: Placed<State>): KeyedSnapshot => ({
    stream,
    opened,
    revision: state.revision,
    position,
    ended: fold.isEnded(state),
    keys: fold.keysOf(state),
    brief: briefs.encode(state),
    state: codec.encode(state)
  })

  /** Returns the aggregate of a snapshot; `undefined` where that is in doubt. */
  const decoded = (snapshot: Snapshot): Placed<State> | undefined => {
    const { opened, position, stream } = snapshot
    const state = codec.decode(snapshot)
    return state === undefined ? undefined : { stream, opened, position, state }
  }

  /** Restores an aggregate from its snapshot, or from all its events where that is in doubt. */
  const restored = Effect.fnUntraced(function* (log: Log<Event>, snapshot: Snapshot) {
    const sound = decoded(snapshot)
    if (sound !== undefined) return sound
    const { opened, stream } = snapshot
    const events = yield* log.read(stream, 0)
    return {
      stream,
      opened: events[0]?.position ?? opened,
      position: events.at(-1)?.position ?? 0,
      state: events.reduce((before, { event }) => fold.evolve(before, event), fold.initial)
    } satisfies Placed<State>
  })

  const present = Effect.fn("Snapshots.present")(function* (log: Log<Event>) {
    const {
      end,
      living,
      position: from
    }: Folded = yield* Effect.orElseSucceed(log.snapshots.folded(fold.name), () => ({
      position: 0,
      living: [],
      end: 0
    }))
    const known = new Map(living.map((snapshot) => [snapshot.stream, snapshot]))
    const placed = new Map<string, Placed<State>>()
    /** The streams with events after the mark. */
    const moved = new Set<string>()
    const passed: Array<KeyedSnapshot> = []
    const endedBefore = new Set<string>()
    const mark = { position: from, last: from, events: 0, writable: true }

    /** Returns an aggregate before its first event that is new. */
    const before = Effect.fnUntraced(function* ({ position, revision, stream }: RecordedAs<Event>) {
      const snapshot =
        known.get(stream) ?? (mark.position === 0 ? undefined : yield* log.snapshots.one(fold.name, stream))
      known.delete(stream)
      if (snapshot?.ended === true) endedBefore.add(stream)
      if (snapshot !== undefined) return yield* restored(log, snapshot)
      if (revision !== 1) return yield* missing(stream, 1)
      return { stream, opened: position, position, state: fold.initial } satisfies Placed<State>
    })

    /** Keeps what was folded. Where that cannot be kept, it stays in memory, and the next process folds it again. */
    const keep = Effect.gen(function* () {
      const snapshots = [...moved].map((stream) => kept(placed.get(stream)!))
      mark.writable = yield* Effect.orElseSucceed(
        log.snapshots.move(fold.name, mark.position, mark.last, snapshots),
        () => false
      )
      if (!mark.writable) return
      yield* along.keep(log, passed.splice(0))
      mark.position = mark.last
      mark.events = 0
      for (const { ended, stream } of snapshots) if (ended) placed.delete(stream)
      moved.clear()
      endedBefore.clear()
    })

    yield* Stream.runForEachArray(log.readAll(from), (events) =>
      Effect.gen(function* () {
        for (const recorded of events) {
          const { position, revision, stream } = recorded
          const after = next(fold, placed.get(stream) ?? (yield* before(recorded)), recorded)
          if (after === undefined) return yield* missing(stream, revision - 1)
          placed.set(stream, after)
          moved.add(stream)
          if (along.isOne(revision)) passed.push(kept(after))
          mark.last = position
        }
        mark.events += events.length
        if (mark.writable && mark.events >= segment) yield* keep
      })
    )
    // Events of other kinds need not be looked through again.
    mark.last = Math.max(mark.last, end)
    const worth =
      mark.last - mark.position >= fold.keepEvery ||
      [...moved].some((stream) => fold.isEnded(placed.get(stream)!.state))
    if (mark.writable && worth) yield* keep
    for (const snapshot of known.values()) placed.set(snapshot.stream, yield* restored(log, snapshot))
    return {
      placed: [...placed.values()],
      more: mark.position > 0,
      countedEnded: endedBefore.size
    } satisfies Present<State>
  })

  return { briefs, decoded, present, restored }
}
