import { join } from "node:path"
import { Deferred, Effect, Option } from "effect"
import { readReceipt } from "./Receipt.ts"
import { createWhole, readWhole } from "../files/WholeFile.ts"

/** The kernel shows that a process has ended before Node reports its exit code. */
const exitCodeTimeout = "2 seconds"

/**
 * Records how headless launches ended, in `<id>.exit` (0600) beside the receipt. A later souffleur reads it there. Only
 * the parent of a process learns its exit code. So the code is unknown if no souffleur was running at the end.
 */
export const makeExitCodes = (folder: string, receiptOf: (id: string) => string) => {
  /** Launches that this process started and that have not ended yet. */
  const running = new Map<string, Deferred.Deferred<void>>()
  const fileOf = (id: string) => join(folder, `${id}.exit`)

  return {
    started: (id: string): void => void running.set(id, Deferred.makeUnsafe()),
    /**
     * Records an end if this pid took the launch's receipt, since a second launcher ends at once. A code that cannot be
     * written stays unknown.
     */
    ended: (id: string, pid: number | undefined, exitCode: number): void => {
      try {
        const receipt = readReceipt(receiptOf(id))
        if (Option.exists(receipt, (one) => one._tag === "Taken" && one.process.pid === pid))
          createWhole(fileOf(id), String(exitCode))
      } catch {
        // An unknown end counts as a death.
      }
      const waiting = running.get(id)
      running.delete(id)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
    },
    of: Effect.fn("ExitCodes.of")(function* (id: string) {
      const waiting = running.get(id)
      if (waiting !== undefined) yield* Effect.timeoutOption(Deferred.await(waiting), exitCodeTimeout)
      return yield* Effect.sync(() => {
        const text = readWhole(fileOf(id)) ?? ""
        return /^\d{1,3}$/u.test(text) ? Option.some(Number(text)) : Option.none()
      })
    })
  }
}
