import { plain, utc, Words, type Zone } from "@souffleur/domain"
import { type RecordedAs } from "@souffleur/eventlog"

/** UTF-16 units of one line for a person. JSON has everything. */
export const maxLineLength = 2000

/** The reason of a decision. */
export interface Explanation {
  readonly seen: ReadonlyArray<string>
  readonly rule: string
  /** The act of the decision itself. Where it is missing, the events after the decision are the act. */
  readonly act?: string
}

/** One explained decision: its evidence, its rule, and the events that followed. */
export interface Reason<E> extends Explanation {
  readonly recorded: RecordedAs<E>
  readonly done: ReadonlyArray<RecordedAs<E>>
}

/** The functions by which the events of one aggregate are explained. */
export interface Explained<S, E> {
  readonly initial: S
  readonly evolve: (state: S, event: E) => S
  readonly explain: (event: E, before: S) => Explanation | undefined
}

/**
 * Returns every decision of a stream, from its first event on, with the events between it and the next one. `explain`
 * knows which events are decisions.
 */
export const allReasons = <S, E>(
  events: ReadonlyArray<RecordedAs<E>>,
  { evolve, explain, initial }: Explained<S, E>
): ReadonlyArray<Reason<E>> => {
  let state = initial
  const reasons: Array<Reason<E> & { readonly done: Array<RecordedAs<E>> }> = []
  for (const recorded of events) {
    const explained = explain(recorded.event, state)
    if (explained === undefined) reasons.at(-1)?.done.push(recorded)
    else reasons.push({ recorded, ...explained, done: [] })
    state = evolve(state, recorded.event)
  }
  return reasons
}

/** Returns the last decision up to a revision; `undefined`: nothing was decided by then. */
export const lastReason = <S, E>(
  events: ReadonlyArray<RecordedAs<E>>,
  upTo: number,
  explained: Explained<S, E>
): Reason<E> | undefined => allReasons(events, explained).findLast(({ recorded }) => recorded.revision <= upTo)

/** Returns lines for a person, without control characters. */
export const reasonLines = <E extends { readonly at: number }>(
  { act, done, recorded, rule, seen }: Reason<E>,
  sentence: (event: E) => string,
  zone: Zone = utc
): ReadonlyArray<string> =>
  [
    `${Words.dateAndTime(recorded.event.at, zone)}  revision ${recorded.revision}: ${sentence(recorded.event)}`,
    "",
    ...(seen.length === 0 ? [] : ["Evidence", ...seen.map((line) => `  ${line}`), ""]),
    "Rule",
    `  ${rule}`,
    "",
    "Action",
    ...(act === undefined && done.length > 0 ? [] : [`  ${act ?? "nothing more"}`]),
    ...done.map(({ event, revision }) => `  ${String(revision).padStart(4)}  ${sentence(event)}`)
  ].map((line) => plain(line, maxLineLength))

/** Returns the same for a program. */
export const reasonJson = <E>(
  { act, done, recorded, rule, seen }: Reason<E>,
  json: (recorded: RecordedAs<E>) => string
) => {
  const event = (one: RecordedAs<E>) => JSON.parse(json(one)) as unknown
  return { decision: event(recorded), seen, rule, act: act ?? null, done: done.map(event) }
}

/** Quotes the end of what a program printed. Many print empty lines between what counts. */
export const printedEnd = (said: string): ReadonlyArray<string> => {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  return lines.length === 0 ? [] : ["the end of what it printed:", ...lines.map((line) => `  ${line}`)]
}
