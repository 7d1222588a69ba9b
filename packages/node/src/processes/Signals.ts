import { Effect } from "effect"
import { Worker } from "node:worker_threads"

/** Those that ask souffleur to leave. */
export type Leave = "SIGINT" | "SIGTERM"
const all: ReadonlyArray<Leave> = ["SIGINT", "SIGTERM"]

/**
 * Ends this process by the signal that it was sent, from a thread of its own: a timer of the main thread would not fire
 * where that does not return, and the end of a process waits for every call of another thread that does not.
 */
const deadline = `
const { patience, signal } = require("node:worker_threads").workerData
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patience)
process.kill(process.pid, signal)`

/**
 * The first signal is `heard`, and what is in hand has `patience` (ms) to end by itself. From then on signals do what
 * they do to any program: the second one ends it at once.
 */
export const answer = (heard: (signal: Leave) => void, patience: number): void => {
  for (const signal of all)
    process.once(signal, () => {
      // Whoever else listens is still told of this one: only signals to come are nobody's.
      for (const one of all) process.removeAllListeners(one)
      heard(signal)
      new Worker(deadline, { eval: true, workerData: { patience, signal } })
        .on("error", () => process.kill(process.pid, signal))
        .unref()
    })
}

/**
 * As long as this runs a signal ends the process at once: for one call that does not return for minutes, and leaves
 * nothing behind, so that no signal would be heard.
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
