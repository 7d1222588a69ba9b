import { type Clock, Duration, Effect } from "effect"

/** The milliseconds of a minute. */
export const minute = 60_000

/** The beginning of a world on its wall clock; epoch ms. */
export const origin = Date.parse("2026-03-01T08:00:00.000Z")

interface Timer {
  readonly at: number
  readonly order: number
  readonly fire: () => void
  cancelled: boolean
}

/**
 * Holds the time of a simulated world, which stays until a caller moves it. Timers follow the monotonic clock, as those
 * of a process do; the wall clock may be anywhere. All times are in milliseconds.
 */
export class Timeline {
  monotonic = 0
  /** The time in which nothing ran, in sum. */
  starved = 0
  /** The wall clock minus the monotonic clock. It changes when the machine sleeps or its clock is set. */
  offset = origin
  #order = 0
  readonly #heap: Array<Timer> = []

  get wall(): number {
    return Math.floor(this.offset + this.monotonic)
  }

  after(millis: number, fire: () => void): () => void {
    const timer: Timer = { at: this.monotonic + Math.max(0, millis), order: this.#order++, fire, cancelled: false }
    this.#push(timer)
    return () => {
      timer.cancelled = true
    }
  }

  /** The time at which the next timer is due on the monotonic clock. */
  get next(): number | undefined {
    while (this.#heap[0]?.cancelled) this.#pop()
    return this.#heap[0]?.at
  }

  /** Moves to the next timer and fires it. A timer that is overdue fires late. */
  step(): void {
    if (this.next === undefined) return
    const timer = this.#pop()!
    this.monotonic = Math.max(this.monotonic, timer.at)
    timer.fire()
  }

  /** Puts the machine to sleep: the wall clock alone goes on. */
  sleep(millis: number): void {
    this.offset += millis
  }

  /** Lets nothing run for a while: every timer of that time is late. */
  starve(millis: number): void {
    this.starved += millis
    this.monotonic += millis
  }

  /** Makes Effect's clock on this timeline. `isDead` timers never fire. */
  clock(isDead: () => boolean): Clock.Clock {
    const nanos = (millis: number) => BigInt(Math.round(millis * 1000)) * 1000n
    return {
      currentTimeMillisUnsafe: () => this.wall,
      currentTimeMillis: Effect.sync(() => this.wall),
      currentTimeNanosUnsafe: () => nanos(this.wall),
      currentTimeNanos: Effect.sync(() => nanos(this.wall)),
      monotonicTimeNanosUnsafe: () => nanos(this.monotonic),
      monotonicTimeNanos: Effect.sync(() => nanos(this.monotonic)),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        if (millis <= 0) return Effect.yieldNow
        if (!Number.isFinite(millis)) return Effect.never
        return Effect.callback<void>((resume) => {
          const cancel = this.after(millis, () => {
            if (!isDead()) resume(Effect.void)
          })
          return Effect.sync(cancel)
        })
      }
    }
  }

  #before(a: Timer, b: Timer): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order)
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(timer)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(timer, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = timer
  }

  #pop(): Timer | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let at = 0
    while (true) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && this.#before(heap[child + 1]!, heap[child]!)) child++
      if (!this.#before(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}
