import { Clock, type Context, Effect, Option, Ref, Result } from "effect"
import type { Decision, Refused } from "./Decision.ts"
import { Conflict, type Log, type LogUnusable, type ReadError, shortened } from "./Log.ts"
import { type Fold, stateCodec } from "./snapshot/Fold.ts"
import { milestones } from "./snapshot/Milestones.ts"
import { makeListing, type NamedState } from "./snapshot/Listing.ts"

/** The errors of a log that is read and written. */
export type LogError = ReadError | LogUnusable

/** The time of a command in epoch milliseconds, and its speaker. */
export interface Stamped<By> {
  readonly now: number
  readonly by: By
}

/** One aggregate as a role sees it: its current state, and a way to send commands. */
export interface AggregateRef<State, Intent> {
  readonly id: string
  /** Reads the state from the log. It is never remembered. */
  readonly state: Effect.Effect<State, LogError>
  /**
   * Appends the events that the decider makes of an intent. Fails with `Refused` where a rule forbids it: nothing was
   * appended then. Fails with `LogError` where the log cannot be read or written.
   */
  readonly dispatch: (intent: Intent) => Effect.Effect<State, Refused | LogError>
}

/** Events that are read first from the end of a stream. A recovery has about thirty. */
const firstTail = 100

/**
 * Makes one kind of aggregate. Its state is the fold of its events, and its stream in the log is its mailbox. A role, a
 * recovery step and another process use the same call. `prefix` begins the names of its streams.
 *
 * @example
 * ```ts
 * import { type Fold, type Log, makeAggregate, memoryLog } from "@souffleur/eventlog"
 * import { Context, Effect, Layer, Result, Schema } from "effect"
 *
 * type Paid = { readonly _tag: "Paid"; readonly amount: number }
 * class Payments extends Context.Service<Payments, Log<Paid>>()("app/Payments") {
 *   static readonly layerMemory = Layer.effect(Payments, memoryLog<Paid>())
 * }
 * const Account = Schema.Struct({ revision: Schema.Int, total: Schema.Number })
 * const fold: Fold<typeof Account.Type, Paid, never> = {
 *   name: { kind: "account", fingerprint: "1" },
 *   initial: { revision: 0, total: 0 },
 *   evolve: ({ revision, total }, { amount }) => ({ revision: revision + 1, total: total + amount }),
 *   schema: Account,
 *   keepEvery: 200,
 *   isEnded: () => false,
 *   keysOf: () => [],
 *   brief: []
 * }
 * const accounts = makeAggregate<typeof Account.Type, Paid, { amount: number }, string, Payments>({
 *   fold,
 *   decide: (_, { amount }) => Result.succeed([{ _tag: "Paid", amount }]),
 *   log: Payments,
 *   prefix: "account/"
 * })
 * const paid = accounts.dispatch("a", { amount: 3, now: 0, by: "me" }).pipe(Effect.provide(Payments.layerMemory))
 * ```
 */
export const makeAggregate = <
  State extends { readonly revision: number },
  Event,
  Intent,
  By,
  Id,
  Shown extends keyof State = never
>({
  decide,
  fold,
  log: key,
  prefix
}: {
  readonly fold: Fold<State, Event, Shown>
  readonly decide: (state: State, command: Intent & Stamped<By>) => Decision<Event>
  readonly log: Context.Key<Id, Log<Event>>
  readonly prefix: string
}) => {
  const streamOf = (id: string) => `${prefix}${id}`
  const { evolve, initial } = fold
  const codec = stateCodec(fold)

  /** Returns the state of a snapshot; `undefined`: there is none, or it is in doubt. */
  const remembered = Effect.fnUntraced(function* (log: Log<Event>, stream: string) {
    const snapshot = yield* Effect.orElseSucceed(log.snapshots.one(fold.name, stream), () => undefined)
    return snapshot === undefined ? undefined : codec.decode(snapshot)
  })

  const loadFrom = (log: Log<Event>, id: string, from: State) => {
    const stream = streamOf(id)
    const newest = (known: State) =>
      Effect.map(log.read(stream, known.revision), (newer) =>
        newer.reduce((state, { event }) => evolve(state, event), known)
      )
    if (from.revision > 0) return newest(from)
    return Effect.flatMap(remembered(log, stream), (known) => newest(known ?? initial))
  }
  /** Reads the state from the log. `from` is a state that is known already, else a snapshot is. */
  const load = (id: string, from: State = initial) => Effect.flatMap(key, (log) => loadFrom(log, id, from))

  const along = milestones(fold)

  /**
   * Reads the state as it was after a revision, or after the newest one before it. It folds no more events than lie
   * behind the last state that was kept along the way.
   */
  const at = Effect.fnUntraced(function* (id: string, revision: number) {
    const log = yield* key
    const stream = streamOf(id)
    const known = yield* along.before(log, stream, revision)
    return (yield* log.read(stream, known.revision, revision)).reduce((state, { event }) => evolve(state, event), known)
  })

  /**
   * Reads, decides and appends. Decides again when another process appended first. An append proves that a known state
   * is still the newest, so only a decision without events reads first.
   */
  const dispatch = Effect.fn("dispatch")(function* (id: string, command: Intent & Stamped<By>, from: State = initial) {
    const log = yield* key
    const writes = from.revision > 0 && Result.getOrElse(decide(from, command), () => []).length > 0
    let state = writes ? from : yield* load(id, from)
    for (;;) {
      const events = yield* Effect.fromResult(decide(state, command))
      const appended = yield* Effect.result(log.append(streamOf(id), state.revision, events))
      if (Result.isSuccess(appended)) return events.reduce(evolve, state)
      if (!(appended.failure instanceof Conflict)) return yield* appended.failure
      const decidedOn = state
      state = yield* load(id, decidedOn)
      // No new event explains this conflict, so another try would conflict again.
      if (state.revision === decidedOn.revision) return yield* shortened(streamOf(id), decidedOn.revision + 1)
    }
  })

  /**
   * Makes a reference, which folds each event once, however often its state is read. `from` is a state that is known.
   * It stamps every intent with the Clock and `by`.
   */
  const ref = Effect.fnUntraced(function* (id: string, by: By, from: State = initial) {
    const log = yield* key
    const known = yield* Ref.make<State>(from)
    const remember = (state: State) =>
      Ref.update(known, (before) => (before.revision > state.revision ? before : state))
    const state = Ref.get(known).pipe(
      Effect.flatMap((from) => loadFrom(log, id, from)),
      Effect.tap(remember)
    )
    const say = Effect.fnUntraced(function* (intent: Intent) {
      const now = yield* Clock.currentTimeMillis
      return yield* dispatch(id, { ...intent, now, by }, yield* Ref.get(known)).pipe(
        Effect.tap(remember),
        Effect.provideService(key, log)
      )
    })
    return { id, state, dispatch: say } satisfies AggregateRef<State, Intent>
  })

  /** Finds an aggregate by its id; `None`: the log has no event of it. Fails as `load` does. */
  const one = Effect.fnUntraced(function* (id: string) {
    // A slash would name a stream of another kind.
    const state = id.includes("/") ? initial : yield* load(id)
    return state.revision === 0 ? Option.none() : Option.some<NamedState<State>>({ id, state })
  })

  /**
   * Returns the newest events up to a revision: all that are needed until `enough` says so, and more. A long stream is
   * read from its end.
   */
  const tail = Effect.fnUntraced(function* (
    id: string,
    upTo: number,
    enough: (events: ReadonlyArray<Event>) => boolean
  ) {
    const log = yield* key
    for (let size = firstTail; ; size *= 4) {
      const after = Math.max(0, upTo - size)
      const events = (yield* log.read(streamOf(id), after, upTo)).map(({ event }) => event)
      if (after === 0 || enough(events)) return events
    }
  })

  return { ...makeListing(fold, key, prefix), one, at, load, ref, streamOf, tail, dispatch }
}
