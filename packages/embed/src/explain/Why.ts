import { utc, type WatchEvent } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import type { RunEvent } from "@souffleur/plan"
import { Effect, Option } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { searched } from "../timeline/WatchPast.ts"
import type { WhyOptions } from "../SouffleurOptions.ts"
import type { Reason } from "./Explanation.ts"
import { runReasonLines, runReasonOf } from "./RunReason.ts"
import { reasonOf, reasonText } from "./WatchReason.ts"

interface WhyOf<E> extends Reason<E> {
  /** The same in sentences, a line each, without control characters. */
  readonly lines: ReadonlyArray<string>
}

/** One decision of a watch, explained. */
export interface Why extends WhyOf<WatchEvent> {}

/** One decision of a run, explained. */
export interface PlanWhy extends WhyOf<RunEvent> {}

/** Revisions before a decision that say what it follows from, such as the last end of a process. */
const said = 100

/** Explains the last decision of a watch at or before a revision. It reads the events around that alone. */
export const whyOf = Effect.fnUntraced(function* (
  { id, watch }: NamedWatch,
  { revision = Number.POSITIVE_INFINITY, zone = utc }: WhyOptions = {}
) {
  const around = Math.min(revision, watch.revision)
  const reason = yield* searched({ id, newest: watch.revision, around }, ({ after, before, events, isNewest }) => {
    const found = reasonOf(events, around, before, zone)
    if (found === undefined) return after === 0 ? null : undefined
    const { done, recorded } = found
    // The events that follow a decision end with the next one.
    const hasAllDone = isNewest || (done.at(-1) ?? recorded).revision < (events.at(-1)?.revision ?? 0)
    return hasAllDone && (after === 0 || recorded.revision > after + said) ? found : undefined
  })
  return Option.map(Option.fromNullishOr(reason), (one): Why => ({ ...one, lines: reasonText(one, watch, zone) }))
})

/** Explains the last decision of a run at or before a revision. */
export const runWhyOf = (
  events: ReadonlyArray<RecordedAs<RunEvent>>,
  { revision = Number.POSITIVE_INFINITY, zone = utc }: WhyOptions = {}
): Option.Option<PlanWhy> =>
  Option.map(Option.fromUndefinedOr(runReasonOf(events, revision, zone)), (reason) => ({
    ...reason,
    lines: runReasonLines(reason, zone)
  }))
