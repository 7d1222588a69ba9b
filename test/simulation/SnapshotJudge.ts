import { catchUp, type Fold, type Log } from "@souffleur/eventlog"
import { Effect, Struct } from "effect"

/** Compares what a snapshot gives back with the fold of all events, at the end of each cycle. */
export class SnapshotJudge<State extends { readonly revision: number }, Event> {
  /** The number of comparisons. */
  compared = 0
  readonly #fold: Fold<State, Event>
  readonly #log: Log<Event>
  readonly #violated: (what: string) => void
  /** The streams whose cycle has ended. Events of the same append may still come. */
  readonly #due = new Set<string>()

  constructor(fold: Fold<State, Event>, log: Log<Event>, violated: (what: string) => void) {
    this.#fold = { ...fold, keepEvery: 1 }
    this.#log = log
    this.#violated = violated
  }

  /** Hears of each event with the state after it. `cycleEnds`: the event ends a cycle. */
  record(stream: string, state: State, cycleEnds: boolean): void {
    if (cycleEnds) this.#due.add(stream)
    if (!this.#due.has(stream)) return
    const { briefs, decoded, present } = catchUp(this.#fold)
    Effect.runSync(present(this.#log))
    const snapshot = Effect.runSync(this.#log.snapshots.one(this.#fold.name, stream))
    // The log is ahead of this event in an append of several.
    if (snapshot !== undefined && snapshot.revision > state.revision) return
    this.#due.delete(stream)
    this.compared++
    const back = snapshot === undefined ? undefined : decoded(snapshot)?.state
    const before = (snapshot?.opened ?? 0) + 1
    const [kept] = Effect.runSync(this.#log.snapshots.briefs(this.#fold.name, { before, limit: 1 }))
    const brief = kept?.stream === stream ? briefs.decode(kept) : undefined
    if (JSON.stringify(brief) !== JSON.stringify(Struct.pick(state, ["revision", ...this.#fold.brief])))
      this.#violated(`the brief of ${stream} at revision ${state.revision} is not what its events give`)
    if (JSON.stringify(back) !== JSON.stringify(state))
      this.#violated(`the snapshot of ${stream} at revision ${state.revision} is another state than its events give`)
  }
}
