import type { Recorded, Watch } from "@souffleur/domain"

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
