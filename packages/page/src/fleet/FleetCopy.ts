import { type Recorded, watchCodec } from "@souffleur/domain"
import type { NamedWatch } from "@souffleur/embed"
import type { EventCodec, RecordedAs, Tagged } from "@souffleur/eventlog"
import { type CopiedRange, type FleetEvent, LogName, type SeenJob, type StoreOut } from "@souffleur/fleet"
import { evolveRun, initialRun, type NamedRun, runCodec, type RunEvent, streamOf } from "@souffleur/plan"
import { Cache, Effect, Option, Ref, Result, Schema, Stream } from "effect"
import { listEvery } from "../Asked.ts"
import { type Excerpts, makeExcerpts } from "../history/Excerpts.ts"
import { type Histories, makeHistories } from "../history/Histories.ts"
import { watchAt } from "../history/Excerpt.ts"
import type { FleetSight } from "./FleetSight.ts"

/** The hub shows no such job, or can read none of its events. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("JobNotFound", {}) {
  override get message(): string {
    return "the hub has no such job, or cannot read it: its host may be revoked, its log forked, or its events removed"
  }
}

type Unseen = JobNotFound | StoreOut

/** The copy of one log, as the pages of its jobs read it. */
export interface FleetCopy {
  readonly watchJob: (id: string) => Effect.Effect<SeenJob, Unseen>
  readonly runJob: (id: string) => Effect.Effect<SeenJob, Unseen>
  readonly find: (id: string) => Effect.Effect<NamedWatch, Unseen>
  readonly findPlan: (id: string) => Effect.Effect<NamedRun, Unseen>
  readonly excerpts: Excerpts<StoreOut>
  readonly histories: Histories<StoreOut>
  /** Follows the events after a revision, until `over` holds where nothing is new. */
  readonly events: (id: string, after: number, over: Effect.Effect<boolean, Unseen>) => Stream.Stream<Recorded, Unseen>
  readonly planEvents: (id: string, after: number) => Stream.Stream<RecordedAs<RunEvent>, Unseen>
}

/** Decodes events as their own host does, up to the first that is missing or cannot be read. */
const decoded = <E extends Tagged>(
  codec: EventCodec<E>,
  after: number,
  events: ReadonlyArray<FleetEvent>
): ReadonlyArray<RecordedAs<E>> => {
  const known: Array<RecordedAs<E>> = []
  for (const [position, stream, revision, tag, version, at, data] of events) {
    const event = codec.decode(stream, revision, { tag, version, at, data })
    if (revision !== after + known.length + 1 || Result.isFailure(event)) break
    known.push({ position, stream, revision, event: event.success })
  }
  return known
}

/** Follows events by a look at the store now and then, until `over` holds where nothing is new. */
const following = <A extends { readonly revision: number }, E>(
  after: number,
  read: (after: number) => Effect.Effect<ReadonlyArray<A>, E>,
  over: Effect.Effect<boolean, E>
): Stream.Stream<A, E> =>
  Stream.tick(listEvery).pipe(
    Stream.mapAccumEffect(
      () => after,
      Effect.fnUntraced(function* (known) {
        const came = yield* read(known)
        const ends = came.length === 0 && (yield* over)
        return [came.at(-1)?.revision ?? known, [{ came, ends }]] as const
      })
    ),
    Stream.takeUntil(({ ends }) => ends),
    Stream.map(({ came }) => came),
    Stream.flattenIterable
  )

const isLog = Schema.is(LogName)
/** A store can have no other stream. */
const isStream = (stream: string) => stream.length <= 200 && !stream.includes("\0")

/** A log and a stream in one word. The name of a log has a fixed length. */
const placed = (log: string, stream: string) => `${log}${stream}`
const logLength = 36
/** Jobs whose last read event is remembered. */
const maxLasts = 256

/** Makes the reading of copies. All guests share what is kept of a job between two looks. */
export const makeCopies = Effect.fnUntraced(function* (sight: Pick<FleetSight, "events" | "job">) {
  // The last event that was read of a job. Later ones are behind it, so no look goes through the whole log again.
  const lasts = yield* Cache.make<string, Ref.Ref<Pick<Recorded, "position" | "revision">>>({
    capacity: maxLasts,
    lookup: () => Ref.make({ position: 0, revision: 0 })
  })
  const read = Effect.fnUntraced(function* <E extends Tagged>(
    codec: EventCodec<E>,
    place: string,
    { after, upTo }: Omit<CopiedRange, "behind">
  ) {
    const last = yield* Cache.get(lasts, place)
    const { position, revision } = yield* Ref.get(last)
    const behind = revision <= after ? position : 0
    const range = { after, upTo, behind }
    const known = decoded(codec, after, yield* sight.events(place.slice(0, logLength), place.slice(logLength), range))
    const newest = known.at(-1)
    if (newest !== undefined) yield* Ref.update(last, (one) => (one.revision < newest.revision ? newest : one))
    return known
  })
  const history = (place: string, range: Omit<CopiedRange, "behind">) => read(watchCodec, place, range)
  const planHistory = (place: string, { after }: Pick<CopiedRange, "after">) =>
    read(runCodec, place, { after, upTo: Number.MAX_SAFE_INTEGER })
  const excerpts = yield* makeExcerpts({ history })
  const histories = yield* makeHistories({ planHistory })

  return (log: string): FleetCopy => {
    const jobOf = Effect.fnUntraced(function* (kind: SeenJob["kind"], stream: string) {
      const job = isLog(log) && isStream(stream) ? yield* sight.job(log, stream) : Option.none()
      return Option.isSome(job) && job.value.kind === kind ? job.value : yield* new JobNotFound()
    })
    const excerptOf: Excerpts<StoreOut> = (id, around) =>
      Effect.map(excerpts(placed(log, id), around), (found) => ({ ...found, id }))
    const historyOf: Histories<StoreOut> = (id) => histories(placed(log, streamOf(id)))
    return {
      watchJob: (id) => jobOf("watch", id),
      runJob: (id) => jobOf("run", streamOf(id)),
      find: Effect.fnUntraced(function* (id) {
        yield* jobOf("watch", id)
        const newest = yield* excerptOf(id)
        return newest.last === 0 ? yield* new JobNotFound() : { id, watch: watchAt(newest, newest.last) }
      }),
      findPlan: Effect.fnUntraced(function* (id) {
        yield* jobOf("run", streamOf(id))
        const events = yield* historyOf(id)
        if (events.length === 0) return yield* new JobNotFound()
        return { id, run: events.reduce((run, { event }) => evolveRun(run, event), initialRun) }
      }),
      excerpts: excerptOf,
      histories: historyOf,
      events: (id, after, over) =>
        following(after, (known) => history(placed(log, id), { after: known, upTo: known + 500 }), over),
      planEvents: (id, after) =>
        following(after, (known) => planHistory(placed(log, streamOf(id)), { after: known }), Effect.succeed(false))
    }
  }
})
