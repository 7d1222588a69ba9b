import {
  type FleetBatch,
  type FleetEvent,
  type LogMark,
  markAfter,
  noMark,
  NoSuchLog,
  OtherMark,
  BrokenBatch,
  type WaitingWord
} from "@souffleur/fleet"
import { Effect } from "effect"

/** A log as the hub has it. */
interface Copy {
  readonly mark: LogMark
  readonly events: ReadonlyArray<FleetEvent>
  readonly forked: boolean
}

/** A word that a person said. `until`: its end by the clock of the hub. */
export interface KeptWord extends Omit<WaitingWord, "left"> {
  readonly until: number
}

/** A hub that keeps its promises (spec: fleet#append), for any number of hosts. */
export class SimHub {
  #logs = new Map<string, Copy>()
  readonly #words = new Map<string, ReadonlyArray<KeptWord>>()

  /** Returns what may bring its store back, as a backup does. */
  backup(): () => void {
    const kept = new Map(this.#logs)
    return () => void (this.#logs = new Map(kept))
  }

  copyOf(log: string): ReadonlyArray<FleetEvent> {
    return this.#logs.get(log)?.events ?? []
  }

  /** Keeps a word of a person for a log. */
  say(log: string, word: KeptWord): void {
    this.#words.set(log, [...(this.#words.get(log) ?? []), word])
  }

  waits(log: string): boolean {
    return (this.#words.get(log) ?? []).length > 0
  }

  words(log: string, now: number): ReadonlyArray<WaitingWord> {
    return (this.#words.get(log) ?? []).map(({ until, ...word }) => ({ ...word, left: until - now }))
  }

  answer(log: string, id: string): void {
    this.#words.set(
      log,
      (this.#words.get(log) ?? []).filter((word) => word.id !== id)
    )
  }

  begin(log: string): Effect.Effect<LogMark, OtherMark> {
    return Effect.suspend(() => {
      const { forked, mark } = this.#logs.get(log) ?? { mark: noMark, forked: false }
      if (forked) return Effect.fail(new OtherMark({ mark, forked }))
      if (!this.#logs.has(log)) this.#logs.set(log, { mark, events: [], forked })
      return Effect.succeed(mark)
    })
  }

  append(
    log: string,
    { after, digest, events }: FleetBatch
  ): Effect.Effect<LogMark, OtherMark | NoSuchLog | BrokenBatch> {
    const logs = () => this.#logs
    return Effect.gen(function* () {
      const next = yield* markAfter(after, events)
      const copy = logs().get(log)
      if (copy === undefined) return yield* new NoSuchLog()
      if (next.digest !== digest) return yield* new BrokenBatch()
      const { forked, mark } = copy
      if (forked || mark.position !== after.position || mark.digest !== after.digest)
        return yield* new OtherMark({ mark, forked })
      logs().set(log, { mark: next, events: [...copy.events, ...events], forked })
      return next
    })
  }

  fork(log: string): Effect.Effect<void, NoSuchLog> {
    return Effect.suspend(() => {
      const copy = this.#logs.get(log)
      if (copy === undefined) return Effect.fail(new NoSuchLog())
      this.#logs.set(log, { ...copy, forked: true })
      return Effect.void
    })
  }
}
