import { Effect } from "effect"
import { Worker } from "node:worker_threads"

/** Signals that ask souffleur to leave. */
export type Leave = "SIGINT" | "SIGTERM"
const all: ReadonlyArray<Leave> = ["SIGINT", "SIGTERM"]

/**
 * Source of a thread that ends this process by the signal that it was sent. A timer of the main thread would not fire
 * during a call that does not return. The end of a process also waits for such a call of another thread.
 */
const deadline = `
const { graceMillis, signal } = require("node:worker_threads").workerData
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, graceMillis)
process.kill(process.pid, signal)`

/**
 * Calls `heard` on the first signal, and gives the current work `graceMillis` (ms) to end by itself. Later signals have
 * their default effect: the second one ends the process at once.
 */
export const answer = (heard: (signal: Leave) => void, graceMillis: number): void => {
  for (const signal of all)
    process.once(signal, () => {
      // Other listeners still get this signal, and none of the later ones.
      for (const one of all) process.removeAllListeners(one)
      heard(signal)
      new Worker(deadline, { eval: true, workerData: { graceMillis, signal } })
        .on("error", () => process.kill(process.pid, signal))
        .unref()
    })
}

/**
 * Lets a signal end the process at once while the effect runs. It is for one call that does not return for minutes,
 * during which no signal would be heard. Such a call changes nothing, or all at once.
 */
export const endable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      all.map((signal) => {
        const listeners = process.rawListeners(signal)
        process.removeAllListeners(signal)
        return [signal, listeners] as const
      })
    ),
    () => effect,
    (kept) =>
      Effect.sync(() => {
        for (const [signal, listeners] of kept)
          for (const listener of listeners) process.on(signal, listener as (signal: NodeJS.Signals) => void)
      })
  )
