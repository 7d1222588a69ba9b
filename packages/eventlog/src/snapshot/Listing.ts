import { type Context, Effect, Option, Stream } from "effect"
import type { SqlError } from "effect/sql"
import type { Log, ReadError, UnreadableEvent } from "../Log.ts"
import { catchUp, type Placed, type Present } from "./CatchUp.ts"
import type { Fold } from "./Fold.ts"
import type { Snapshot, SnapshotPage } from "./Snapshots.ts"

/** An aggregate of the log, by its id. */
export interface NamedState<State> {
  readonly id: string
  /** The fold of the events that can be read. */
  readonly state: State
  /** The first event that cannot be read. Nothing is decided on the events before it. */
  readonly unreadable?: UnreadableEvent
}

/** The rows of the first read of snapshots, and of a later one. The wanted aggregate is mostly among the newest. */
const [firstPage, maxPage] = [8, 1000]

/** The rows of one read of what has ended. A search holds no more of them at a time. */
const endedPage = 100

const oldest = (a: Placed<unknown>, b: Placed<unknown>) => a.opened - b.opened
const newest = (a: Placed<unknown>, b: Placed<unknown>) => b.opened - a.opened
const latest = (a: Placed<unknown>, b: Placed<unknown>) => b.position - a.position

/**
 * Lists the aggregates of a log. No list but `all` reads an aggregate that it does not name: what has ended is found by
 * the snapshots. An unreadable aggregate hides no other. Each list fails with `LogUnusable` where the log cannot be
 * read.
 */
export const makeListing = <State extends { readonly revision: number }, Event, Id, Shown extends keyof State>(
  fold: Fold<State, Event, Shown>,
  key: Context.Key<Id, Log<Event>>,
  prefix: string
) => {
  const { briefs, present, restored } = catchUp(fold)
  const named = ({ state, stream, unreadable }: Placed<State>): NamedState<State> => ({
    id: stream.slice(prefix.length),
    state,
    ...(unreadable === undefined ? {} : { unreadable })
  })
  const isLiving = ({ state, unreadable }: Placed<State>) => unreadable !== undefined || !fold.isEnded(state)
  const folded = (events: ReadonlyArray<{ readonly event: Event }>) =>
    events.reduce((state, { event }) => fold.evolve(state, event), fold.initial)

  /** Reads every stream, and no snapshot. */
  const each = Effect.fnUntraced(function* (log: Log<Event>) {
    const placed = yield* Effect.forEach(yield* log.streams, (stream, opened) =>
      log.read(stream, 0).pipe(
        Effect.map((events): Placed<State> => ({
          stream,
          opened,
          position: events.at(-1)!.position,
          state: folded(events)
        })),
        Effect.catchTag("UnreadableEvent", (unreadable) =>
          Effect.map(log.read(stream, 0, unreadable.revision - 1), (events): Placed<State> => ({
            stream,
            opened,
            position: events.at(-1)?.position ?? 0,
            state: folded(events),
            unreadable
          }))
        )
      )
    )
    return { placed, more: false, countedEnded: 0 } satisfies Present<State>
  })

  /** Answers from the snapshots, and from the log alone where these or an event are in doubt. */
  const answer = <A>(from: (log: Log<Event>, now: Present<State>) => Effect.Effect<A, ReadError | SqlError.SqlError>) =>
    Effect.flatMap(key, (log) =>
      present(log).pipe(
        Effect.flatMap((now) => from(log, now)),
        Effect.catch(() => Effect.flatMap(each(log), (now) => from(log, now))),
        // Without snapshots none is asked for.
        Effect.catchTag("SqlError", Effect.die)
      )
    )

  /** Leaves out the snapshots of these aggregates. */
  const without = (placed: ReadonlyArray<Placed<State>>) => {
    const known = new Set(placed.map(({ stream }) => stream))
    return <Kept extends Pick<Snapshot, "stream">>(page: ReadonlyArray<Kept>) =>
      page.filter(({ stream }) => !known.has(stream))
  }

  /** Streams what is kept of the aggregates that have not moved since, newest first, by pages that grow. */
  const unmoved = <Kept extends Pick<Snapshot, "opened" | "stream">>(
    { more, placed }: Present<State>,
    read: (at: Pick<SnapshotPage, "before" | "limit">) => Effect.Effect<ReadonlyArray<Kept>, SqlError.SqlError>
  ) => {
    const unmovedOf = without(placed)
    return Stream.paginate({ before: Number.MAX_SAFE_INTEGER, limit: more ? firstPage : 0 }, (at) =>
      Effect.map(at.limit === 0 ? Effect.succeed([]) : read(at), (page) => {
        const before = page.at(-1)?.opened ?? 0
        const after = page.length < at.limit || before === 0 ? Option.none() : Option.some({ before, limit: maxPage })
        return [unmovedOf(page), after] as const
      })
    )
  }
  /** Streams their aggregates. */
  const settled = (log: Log<Event>, now: Present<State>, word: { readonly key?: string } = {}) =>
    Stream.mapEffect(
      unmoved(now, (at) => log.snapshots.page(fold.name, { ...word, ...at })),
      (snapshot) => restored(log, snapshot)
    )

  /** Streams the aggregates that ended and have not moved since, the last one first. */
  const settledEnds = (log: Log<Event>, { more, placed }: Present<State>) => {
    const unmovedOf = without(placed)
    return Stream.paginate(Number.MAX_SAFE_INTEGER, (before) =>
      Effect.map(more ? log.snapshots.ended(fold.name, { before, limit: endedPage }) : Effect.succeed([]), (page) => {
        const after = page.length < endedPage ? Option.none() : Option.some(page.at(-1)!.position)
        return [unmovedOf(page), after] as const
      })
    ).pipe(Stream.mapEffect((snapshot) => restored(log, snapshot)))
  }
  /** Counts what {@link settledEnds} streams, and reads none of it. */
  const endedCount = (log: Log<Event>, { countedEnded, more }: Present<State>) =>
    more ? Effect.map(log.snapshots.endedCount(fold.name), (count) => count - countedEnded) : Effect.succeed(0)
  const has = (key: string) => (one: Placed<State>) => fold.keysOf(one.state).includes(key)

  return {
    /** Every aggregate, oldest first. */
    all: answer((log, now) =>
      Effect.map(Stream.runCollect(settled(log, now)), (rest) => [...rest, ...now.placed].toSorted(oldest).map(named))
    ),
    /** Every aggregate. `ended`: the brief of what has ended. `whole`: all others. Both are oldest first. */
    brief: answer(
      Effect.fnUntraced(function* (log, now) {
        const whole = [...now.placed]
        const ended: Array<{ readonly id: string; readonly brief: NonNullable<ReturnType<typeof briefs.decode>> }> = []
        // A page is let go before the next one is read.
        const pages = unmoved(now, (at) => log.snapshots.briefs(fold.name, at))
        yield* Stream.runForEachArray(pages, (page) =>
          Effect.gen(function* () {
            for (const kept of page) {
              const { stream } = kept
              const brief = kept.ended ? briefs.decode(kept) : undefined
              if (brief !== undefined) ended.push({ id: stream.slice(prefix.length), brief })
              else
                whole.push(
                  yield* restored(log, (yield* log.snapshots.one(fold.name, stream)) ?? { ...kept, state: "" })
                )
            }
          })
        )
        return { whole: whole.toSorted(oldest).map(named), ended: ended.toReversed() }
      })
    ),
    /** The aggregates that have not ended, and those that cannot be read, oldest first. */
    living: answer((_, { placed }) => Effect.succeed(placed.filter(isLiving).toSorted(oldest).map(named))),
    /** Returns the aggregates with this word, oldest first. */
    having: (key: string) =>
      answer((log, now) =>
        Effect.map(Stream.runCollect(settled(log, now, { key })), (rest) =>
          [...rest, ...now.placed].filter(has(key)).toSorted(oldest).map(named)
        )
      ),
    /** Returns the newest aggregates with this word that are wanted, newest first, `limit` at most. */
    newest: (key: string, limit: number, wanted: (state: State) => boolean = () => true) =>
      answer((log, now) => {
        const isWanted = (one: Placed<State>) => has(key)(one) && wanted(one.state)
        return settled(log, now, { key }).pipe(
          Stream.filter(isWanted),
          Stream.take(limit),
          Stream.runCollect,
          Effect.map((rest) => [...rest, ...now.placed.filter(isWanted)].toSorted(newest).slice(0, limit).map(named))
        )
      }),
    /**
     * Returns the wanted aggregates that ended last, the last one first, `limit` at most. `count`: the number of all
     * that are wanted. It holds `limit` aggregates and a page of snapshots, also where it looks through all.
     */
    ended: (limit: number, wanted?: (one: NamedState<State>) => boolean) =>
      answer(
        Effect.fnUntraced(function* (log, now) {
          const isWanted = (one: Placed<State>) => wanted === undefined || wanted(named(one))
          const here = now.placed.filter((one) => !isLiving(one) && isWanted(one))
          const kept: Array<Placed<State>> = []
          const wantedEnds = Stream.filter(settledEnds(log, now), isWanted)
          const keep = (one: Placed<State>) => Effect.sync(() => kept.length < limit && kept.push(one))
          const settledCount = yield* wanted !== undefined
            ? Stream.runCount(Stream.tap(wantedEnds, keep))
            : Effect.andThen(Stream.runForEach(Stream.take(wantedEnds, limit), keep), endedCount(log, now))
          return {
            last: [...here, ...kept].toSorted(latest).slice(0, limit).map(named),
            count: here.length + settledCount
          }
        })
      )
  }
}
