import { type EventLog, type Recorded, type WatchEvent } from "@souffleur/domain"
import { Conflict, type LogUnusable, memorySnapshots, shortened } from "@souffleur/eventlog"
import { Effect, Option, Stream } from "effect"

/**
 * Keeps one stream of the log on the simulated disk. It outlives every souffleur, and `heard` hears of each event
 * before any follower.
 */
export class SimLog {
  readonly service: EventLog["Service"]
  readonly #recorded: Array<Recorded> = []
  readonly #stream: string
  readonly #heard: (event: WatchEvent) => void
  /** Followers of the log that have read all of it. */
  #waiting: Array<() => void> = []

  constructor(stream: string, heard: (event: WatchEvent) => void) {
    this.#stream = stream
    this.#heard = heard
    this.service = {
      append: (name, expected, events) =>
        Effect.suspend(() =>
          expected === this.#recorded.length || events.length === 0
            ? Effect.succeed(this.#append(events))
            : Effect.fail(new Conflict({ stream: name, expected }))
        ),
      read: (_, after, upTo) =>
        Effect.map(this.#after(after), (found) =>
          upTo === undefined ? found : found.slice(0, Math.max(0, upTo - after))
        ),
      changes: (_, after) =>
        Stream.paginate(after, (last) =>
          Effect.map(this.#more(last), (more) => [more, Option.some(last + more.length)] as const)
        ),
      readAll: (after) => Stream.fromIterableEffect(this.#after(after)),
      // A souffleur of one watch does not follow all streams.
      changesAll: () => Stream.die("not simulated"),
      moves: Stream.die("not simulated"),
      streams: Effect.sync(() => (this.#recorded.length === 0 ? [] : [this.#stream])),
      snapshots: memorySnapshots()
    }
  }

  /**
   * Appends in one go: a souffleur that is abandoned has appended or has not. A follower hears when it has its turn.
   */
  #append(events: ReadonlyArray<WatchEvent>): number {
    for (const event of events) {
      const revision = this.#recorded.length + 1
      this.#recorded.push({ position: revision, stream: this.#stream, revision, event })
    }
    for (const event of events) this.#heard(event)
    if (events.length > 0) for (const wake of this.#waiting.splice(0)) wake()
    return this.#recorded.length
  }

  /** Reads as the log on a disk does: a reader past the end is told so. */
  #after(last: number): Effect.Effect<ReadonlyArray<Recorded>, LogUnusable> {
    return Effect.suspend(() =>
      last > this.#recorded.length
        ? Effect.fail(shortened(this.#stream, last))
        : Effect.succeed(this.#recorded.slice(last))
    )
  }

  #more(last: number): Effect.Effect<ReadonlyArray<Recorded>, LogUnusable> {
    return Effect.callback((resume) => {
      const look = () => resume(this.#after(last))
      if (this.#recorded.length !== last) return look()
      this.#waiting.push(look)
      return Effect.sync(() => void (this.#waiting = this.#waiting.filter((one) => one !== look)))
    })
  }
}
