import { EventLog, Event, isEnd, type WatchEvent } from "@souffleur/domain"
import { type Fold, makeAggregate } from "@souffleur/eventlog"
import { Effect, Result, Schema } from "effect"
import { beginsRecovery, endsAt, isCause, outcomeAfter, type RecoveryOutcome } from "../timeline/RecoveryRules.ts"

/** Upper bounds of the durations of recoveries, in seconds. */
export const durationBounds: ReadonlyArray<number> = [1, 5, 15, 30, 60, 120, 300, 900, 3600]

const Sum = Schema.Record(Schema.String, Schema.Number)

/** The deaths and the recoveries of a watch so far. */
export const Tally = Schema.Struct({
  revision: Schema.Number,
  kind: Event.Kind,
  over: Schema.Boolean,
  /** Deaths by their causes. */
  deaths: Sum,
  /** Recoveries by `<outcome>/<bound>`: the least bound that is not below the duration. */
  recoveries: Sum,
  /** Milliseconds of the recoveries by outcome. */
  millis: Sum,
  /** When the next recovery begins, if one follows; epoch ms. */
  cause: Schema.NullOr(Schema.Number),
  cycle: Schema.Number,
  /** The recovery that runs. */
  running: Schema.NullOr(Schema.Struct({ from: Schema.Number, launched: Schema.Boolean }))
})
export type Tally = typeof Tally.Type

const initial: Tally = {
  revision: 0,
  kind: "agent",
  over: false,
  deaths: {},
  recoveries: {},
  millis: {},
  cause: null,
  cycle: 0,
  running: null
}

const added = (sums: Tally["deaths"], word: string, number: number) => ({
  ...sums,
  [word]: (sums[word] ?? 0) + number
})

/** Counts a recovery that is over. A clock that went back makes it take no time. */
const counted = (tally: Tally, outcome: RecoveryOutcome, from: number, to: number): Tally => {
  const millis = Math.max(0, to - from)
  const bound = durationBounds.find((most) => millis <= most * 1000) ?? "+Inf"
  return {
    ...tally,
    recoveries: added(tally.recoveries, `${outcome}/${bound}`, 1),
    millis: added(tally.millis, outcome, millis),
    running: null
  }
}

/** Returns the cause of a death; `undefined`: the event is none. */
const deathOf = (event: WatchEvent): string | undefined => {
  if (event._tag === "ContextExhausted") return "context"
  return event._tag === "ConductorDied" || event._tag === "EndedEarly" ? event.reason : undefined
}

/** Counts the recovery that an event ends. */
const afterRunning = (tally: Tally, event: WatchEvent): Tally => {
  if (tally.running === null) return tally
  const { from, launched } = tally.running
  const outcome = outcomeAfter(event, { kind: tally.kind, launched, over: tally.over })
  if (outcome !== null) return counted(tally, outcome, from, endsAt(from, event))
  return event._tag === "ConductorRelaunched" ? { ...tally, running: { from, launched: true } } : tally
}

/** Begins the recovery that an event begins. */
const afterBegin = (tally: Tally, event: WatchEvent): Tally => {
  if (!beginsRecovery(event)) return tally
  const from = tally.cause ?? event.at
  const before = { ...tally, cause: null, cycle: event.cycle }
  if (event.cycle === tally.cycle) return before
  return event._tag === "RecoveryWithheld"
    ? counted(before, "withheld", from, event.at)
    : { ...before, running: { from, launched: false } }
}

/** Counts one event. */
const evolve = (before: Tally, event: WatchEvent): Tally => {
  const tally = {
    ...before,
    revision: before.revision + 1,
    over: before.over || isEnd(event),
    kind: event._tag === "WatchOpened" ? event.kind : before.kind
  }
  const death = deathOf(event)
  const counted = afterBegin(afterRunning(tally, event), event)
  return {
    ...counted,
    cause: isCause(event) ? event.at : counted.cause,
    deaths: death === undefined ? counted.deaths : added(counted.deaths, death, 1)
  }
}

/** The word of all watches that had a death or a recovery. */
const tallied = "tallied"

/** How watches are counted. A test computes the fingerprint from the rules (decision 0008). */
export const tallyFold: Fold<Tally, WatchEvent, never> = {
  name: { kind: "tally", fingerprint: "9dea69ab94a5c7ef" },
  initial,
  evolve,
  schema: Tally,
  keepEvery: 200,
  isEnded: ({ over }) => over,
  keysOf: ({ deaths, recoveries }) => (Object.keys({ ...deaths, ...recoveries }).length === 0 ? [] : [tallied]),
  brief: []
}

const { having } = makeAggregate<Tally, WatchEvent, never, never, EventLog>({
  fold: tallyFold,
  decide: () => Result.succeed([]),
  log: EventLog,
  prefix: ""
})

/** Sums of all watches, with the meaning of {@link Tally}. */
export type Totals = Pick<Tally, "deaths" | "recoveries" | "millis">

const sumOf = (all: ReadonlyArray<Tally["deaths"]>) =>
  all.flatMap((one) => Object.entries(one)).reduce((sums, [word, number]) => added(sums, word, number), {})

/**
 * Returns the deaths and recoveries of every watch, of those that have ended too. It reads no event of a watch that has
 * not moved since the last time. Fails with `LogUnusable` where the log cannot be read.
 */
export const totals = Effect.map(having(tallied), (all): Totals => ({
  deaths: sumOf(all.map(({ state }) => state.deaths)),
  recoveries: sumOf(all.map(({ state }) => state.recoveries)),
  millis: sumOf(all.map(({ state }) => state.millis))
})).pipe(Effect.withSpan("totals"))
