import { evolve, type Recorded, type Watch } from "@souffleur/domain"

/** A part of the history of a watch. */
export interface Excerpt {
  readonly id: string
  /** The watch before the first of these events. */
  readonly before: Watch
  /** Events without a gap, oldest first. */
  readonly events: ReadonlyArray<Recorded>
  /** The newest revision of the watch. */
  readonly last: number
}

/** Returns the first and the last revision of an excerpt. One without events is at its begin. */
export const bounds = ({ before, events }: Excerpt): readonly [first: number, end: number] => [
  before.revision + 1,
  events.at(-1)?.revision ?? before.revision + 1
]

/** Returns the watch as it was at a revision of an excerpt. */
export const watchAt = ({ before, events }: Excerpt, at: number): Watch =>
  events.filter(({ revision }) => revision <= at).reduce((watch, { event }) => evolve(watch, event), before)
