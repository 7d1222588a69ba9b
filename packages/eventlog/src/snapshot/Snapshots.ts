import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** One kind of fold. A snapshot of another fingerprint was made by other rules, and is not read. */
export interface FoldName {
  /** The kind of the aggregates, such as `watch`. */
  readonly kind: string
  /** Changes with each change of the rules and of the state. */
  readonly fingerprint: string
}

/** The fold of a stream up to one of its events. It is a copy: the log is the truth. */
export interface Snapshot {
  readonly stream: string
  /** The position of the stream's first event. Of two streams the newer has the greater one. */
  readonly opened: number
  /** The revision and the position of the last event that was folded. */
  readonly revision: number
  readonly position: number
  /** True if the aggregate has ended. Later events may still come. */
  readonly ended: boolean
  /** The state as JSON. It is empty where the last event is not in the log any more. */
  readonly state: string
}

/** The brief of a snapshot in the place of its state. */
export interface Brief extends Omit<Snapshot, "state"> {
  /** The brief as JSON. It is empty where the state is. */
  readonly brief: string
}

/** A snapshot with its brief, and with the words that its aggregate is found by. */
export interface KeyedSnapshot extends Snapshot, Brief {
  readonly keys: ReadonlyArray<string>
}

/** The snapshots of a kind: how far the log is folded, and the aggregates that have not ended by then. */
export interface Folded {
  /** Every stream with an event up to this position has a snapshot of all those events. 0: there are none. */
  readonly position: number
  readonly living: ReadonlyArray<Snapshot>
  /** The position of the last event of the log, of whatever kind; 0: it is not known. */
  readonly end: number
}

/** A part of the snapshots, newest first. */
export interface SnapshotPage {
  /** The word of all aggregates; `undefined`: any. */
  readonly key?: string
  /** Streams that were opened before this position. */
  readonly before: number
  readonly limit: number
}

/** A part of the snapshots that have ended, newest event first. */
export interface EndedPage {
  /** Snapshots whose last event is before this position. */
  readonly before: number
  readonly limit: number
}

/**
 * Keeps snapshots beside a log, in the same store. They may be lost at any time, and nothing changes by that (decision
 * 0008). Each method fails with the store's own error; a caller then reads the log alone.
 */
export interface Snapshots {
  readonly folded: (fold: FoldName) => Effect.Effect<Folded, SqlError.SqlError>
  /** Returns the snapshot of a stream; `undefined`: there is none. */
  readonly one: (fold: FoldName, stream: string) => Effect.Effect<Snapshot | undefined, SqlError.SqlError>
  readonly page: (fold: FoldName, page: SnapshotPage) => Effect.Effect<ReadonlyArray<Snapshot>, SqlError.SqlError>
  /** Returns a page of briefs, and reads no state. */
  readonly briefs: (
    fold: FoldName,
    page: Omit<SnapshotPage, "key">
  ) => Effect.Effect<ReadonlyArray<Brief>, SqlError.SqlError>
  /** Returns the aggregates that ended last, newest event first. */
  readonly ended: (fold: FoldName, page: EndedPage) => Effect.Effect<ReadonlyArray<Snapshot>, SqlError.SqlError>
  /** Counts the aggregates that have ended. */
  readonly endedCount: (fold: FoldName) => Effect.Effect<number, SqlError.SqlError>
  /**
   * Moves the fold from one position of the log to another. The snapshots of all streams that have events between move
   * with it. Returns `false`, and writes nothing, where the fold is not at `from` any more. From 0 it begins again.
   */
  readonly move: (
    fold: FoldName,
    from: number,
    to: number,
    snapshots: ReadonlyArray<KeyedSnapshot>
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** Keeps one snapshot of a stream. The fold stays where it is. */
  readonly keep: (fold: FoldName, snapshot: KeyedSnapshot) => Effect.Effect<void, SqlError.SqlError>
}

/** Makes snapshots that die with their process. */
export const memorySnapshots = (): Snapshots => {
  const kinds = new Map<string, { position: number; readonly streams: Map<string, KeyedSnapshot> }>()
  const nameOf = ({ fingerprint, kind }: FoldName) => `${kind} ${fingerprint}`
  const of = (fold: FoldName) => kinds.get(nameOf(fold)) ?? { position: 0, streams: new Map<string, KeyedSnapshot>() }
  const all = (fold: FoldName) => [...of(fold).streams.values()]
  const page: Snapshots["page"] & Snapshots["briefs"] = (fold: FoldName, { before, key, limit }: SnapshotPage) =>
    Effect.sync(() =>
      all(fold)
        .filter(({ keys, opened }) => opened < before && (key === undefined || keys.includes(key)))
        .toSorted((a, b) => b.opened - a.opened)
        .slice(0, limit)
    )
  return {
    folded: (fold) =>
      Effect.sync(() => ({ position: of(fold).position, living: all(fold).filter(({ ended }) => !ended), end: 0 })),
    one: (fold, stream) => Effect.sync(() => of(fold).streams.get(stream)),
    page,
    briefs: page,
    ended: (fold, { before, limit }) =>
      Effect.sync(() =>
        all(fold)
          .filter(({ ended, position }) => ended && position < before)
          .toSorted((a, b) => b.position - a.position)
          .slice(0, limit)
      ),
    endedCount: (fold) => Effect.sync(() => all(fold).filter(({ ended }) => ended).length),
    move: (fold, from, to, snapshots) =>
      Effect.sync(() => {
        const kept = of(fold)
        if (from !== 0 && from !== kept.position) return false
        for (const one of snapshots) kept.streams.set(one.stream, one)
        kinds.set(nameOf(fold), { ...kept, position: to })
        return true
      }),
    keep: (fold, snapshot) =>
      Effect.sync(() => {
        const kept = of(fold)
        kept.streams.set(snapshot.stream, snapshot)
        kinds.set(nameOf(fold), kept)
      })
  }
}
