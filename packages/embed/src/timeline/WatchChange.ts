import { evolve, initial, type Recorded, type Watch, type WatchEvent } from "@souffleur/domain"

/** An event between the states before and after it. */
export interface WatchChange {
  readonly event: WatchEvent
  readonly revision: number
  readonly before: Watch
  readonly after: Watch
}

/** Folds events, and keeps the states around each. `from`: the state before the first of them. */
export const watchChanges = (events: ReadonlyArray<Recorded>, from: Watch = initial): ReadonlyArray<WatchChange> => {
  const changes: Array<WatchChange> = []
  let before = from
  for (const { event, revision } of events) {
    const after = evolve(before, event)
    changes.push({ event, revision, before, after })
    before = after
  }
  return changes
}
