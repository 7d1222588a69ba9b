import { evolve, initial, type WatchEvent } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import type { RunEvent } from "@souffleur/plan"
import { Option } from "effect"
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
export interface RunWhy extends WhyOf<RunEvent> {}

type Events<E> = ReadonlyArray<RecordedAs<E>>

/** Explains the last decision of a watch at or before a revision. */
export const whyOf = (events: Events<WatchEvent>, revision: number): Option.Option<Why> =>
  Option.map(Option.fromUndefinedOr(reasonOf(events, revision)), (reason) => ({
    ...reason,
    lines: reasonText(
      reason,
      events.reduce((watch, { event }) => evolve(watch, event), initial)
    )
  }))

/** Explains the last decision of a run at or before a revision. */
export const runWhyOf = (events: Events<RunEvent>, revision: number): Option.Option<RunWhy> =>
  Option.map(Option.fromUndefinedOr(runReasonOf(events, revision)), (reason) => ({
    ...reason,
    lines: runReasonLines(reason)
  }))
