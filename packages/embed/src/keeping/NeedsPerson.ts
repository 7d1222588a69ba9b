import { EventLog, evolve, load, type Watch } from "@souffleur/domain"
import { Effect, Option, Schema, Stream } from "effect"
import { needOf, watchState } from "../explain/StatusLine.ts"

/** What a watch waits for, beyond which it does not come by itself. */
const Reason = Schema.Literals(["standby", "person", "idle", "limit"])

/**
 * A watch does not come to its end by itself: a person has to act. The watch is kept all the same. `standby`: nothing
 * is launched any more, and `stage` says where that was decided. `person`: the agent waits for a person, such as for a
 * permission. `idle`: it is at its prompt, its turn over. `limit`: its usage limit lasts for more than eight days.
 */
export class NeedsPerson extends Schema.TaggedError<NeedsPerson>()("NeedsPerson", {
  watch: Schema.String,
  reason: Reason,
  /** The stage of the standby, such as `ceiling`; `null`: there is none. */
  stage: Schema.NullOr(Schema.String),
  /** The command line that a person types next. */
  next: Schema.String,
  message: Schema.String
}) {}

/** Returns why a watch does not end by itself; `undefined`: it may. */
const reasonOf = (watch: Watch): NeedsPerson["reason"] | undefined => {
  const { person, standby, wait } = watch
  if (watch.phase === "Exited" || watch.recovery !== undefined) return undefined
  if (standby !== undefined) return "standby"
  if (person !== undefined) return "person"
  if (wait !== undefined) return wait.resetsAt !== null && wait.resetsAt > wait.until ? "limit" : undefined
  return watchState(watch, null) === "idle" ? "idle" : undefined
}

/** Returns what a watch needs of a person before it can end; `undefined`: nothing. */
export const needBeforeEnd = (id: string, watch: Watch): NeedsPerson | undefined => {
  const reason = reasonOf(watch)
  if (reason === undefined) return undefined
  const need =
    reason === "idle"
      ? { why: "its turn is over, and it is at its prompt", next: `souffleur attach ${id}` }
      : (needOf(id, watch, true) ?? { why: "it stands by", next: `souffleur why ${id}` })
  const { next, why } = need
  return new NeedsPerson({ watch: id, reason, stage: watch.standby?.stage ?? null, next, message: `${id}: ${why}` })
}

/** The state of a watch now, and after each event that comes. */
const statesOf = Effect.fnUntraced(function* (id: string) {
  const log = yield* EventLog
  const now = yield* load(id)
  const after = log.changes(id, now.revision).pipe(
    Stream.mapAccum(
      () => now,
      (before, { event }) => {
        const watch = evolve(before, event)
        return [watch, [watch]] as const
      }
    )
  )
  return Stream.concat(Stream.succeed(now), after)
}, Stream.unwrap)

/** Tells whether a watch goes on by itself, now and after each event. */
export const goesOnByItself = (id: string) =>
  Stream.map(statesOf(id), (watch) => watch.phase !== "Exited" && needBeforeEnd(id, watch) === undefined)

/** Fails with `NeedsPerson` as soon as the watch needs a person, and does not return before its end. */
export const untilNeeded = Effect.fnUntraced(function* (id: string) {
  const found = yield* statesOf(id).pipe(
    Stream.takeUntil((watch) => watch.phase === "Exited" || needBeforeEnd(id, watch) !== undefined),
    Stream.runLast
  )
  const need = Option.flatMap(found, (watch) => Option.fromUndefinedOr(needBeforeEnd(id, watch)))
  return Option.isSome(need) ? yield* need.value : yield* Effect.never
})
