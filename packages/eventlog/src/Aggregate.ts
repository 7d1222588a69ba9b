import { Clock, type Context, Effect, Ref, Result } from "effect"
import type { Decision, Refused } from "./Decision.ts"
import {
  Conflict,
  type Log,
  type LogUnusable,
  type ReadError,
  type RecordedAs,
  shortened,
  type UnreadableEvent
} from "./Log.ts"

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

/** An aggregate of the log, by its id. */
export interface NamedState<State> {
  readonly id: string
  /** The fold of the events that can be read. */
  readonly state: State
  /** The first event that cannot be read. Nothing is decided on the events before it. */
  readonly unreadable?: UnreadableEvent
}

/**
 * Makes one kind of aggregate. Its state is the fold of its events, and its stream in the log is its mailbox. A role, a
 * recovery step and another process use the same call. `prefix` begins the names of its streams.
 *
 * @example
 * ```ts
 * import { type Log, makeAggregate, memoryLog } from "@souffleur/eventlog"
 * import { Context, Effect, Layer, Result } from "effect"
 *
 * type Paid = { readonly _tag: "Paid"; readonly amount: number }
 * class Payments extends Context.Service<Payments, Log<Paid>>()("app/Payments") {
 *   static readonly layerMemory = Layer.effect(Payments, memoryLog<Paid>())
 * }
 * const accounts = makeAggregate<{ revision: number; total: number }, Paid, { amount: number }, string, Payments>({
 *   initial: { revision: 0, total: 0 },
 *   evolve: ({ revision, total }, { amount }) => ({ revision: revision + 1, total: total + amount }),
 *   decide: (_, { amount }) => Result.succeed([{ _tag: "Paid", amount }]),
 *   log: Payments,
 *   prefix: "account/"
 * })
 * const paid = accounts.dispatch("a", { amount: 3, now: 0, by: "me" }).pipe(Effect.provide(Payments.layerMemory))
 * ```
 */
export const makeAggregate = <State extends { readonly revision: number }, Event, Intent, By, Id>({
  decide,
  evolve,
  initial,
  log: key,
  prefix
}: {
  readonly initial: State
  readonly evolve: (state: State, event: Event) => State
  readonly decide: (state: State, command: Intent & Stamped<By>) => Decision<Event>
  readonly log: Context.Key<Id, Log<Event>>
  readonly prefix: string
}) => {
  const streamOf = (id: string) => `${prefix}${id}`
  const fold = (recorded: ReadonlyArray<RecordedAs<Event>>, from = initial) =>
    recorded.reduce((state, { event }) => evolve(state, event), from)

  /** Reads the state from the log. `from` is a state that is known already. */
  const load = Effect.fnUntraced(function* (id: string, from: State = initial) {
    const log = yield* key
    return fold(yield* log.read(streamOf(id), from.revision), from)
  })

  /** Reads, decides and appends. Decides again when another process appended first. */
  const dispatch = Effect.fn("dispatch")(function* (id: string, command: Intent & Stamped<By>, from: State = initial) {
    const log = yield* key
    let state = yield* load(id, from)
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
    const withLog = Effect.provideService(key, log)
    const state = Ref.get(known).pipe(
      Effect.flatMap((from) => load(id, from)),
      Effect.tap(remember),
      withLog
    )
    const say = Effect.fnUntraced(function* (intent: Intent) {
      const now = yield* Clock.currentTimeMillis
      return yield* dispatch(id, { ...intent, now, by }, yield* Ref.get(known)).pipe(Effect.tap(remember), withLog)
    })
    return { id, state, dispatch: say } satisfies AggregateRef<State, Intent>
  })

  const upTo = Effect.fnUntraced(function* (id: string, unreadable: UnreadableEvent) {
    const log = yield* key
    return {
      id,
      unreadable,
      state: fold(yield* log.read(streamOf(id), 0, unreadable.revision - 1))
    } satisfies NamedState<State>
  })

  /** Reads every aggregate of the log, oldest first. An unreadable aggregate hides no other. */
  const all = Effect.gen(function* () {
    const streams = yield* (yield* key).streams
    return yield* Effect.forEach(streams, (stream) => {
      const id = stream.slice(prefix.length)
      return load(id).pipe(
        Effect.map((state): NamedState<State> => ({ id, state })),
        Effect.catchTag("UnreadableEvent", (error) => upTo(id, error))
      )
    })
  })

  return { all, load, ref, streamOf, dispatch }
}
