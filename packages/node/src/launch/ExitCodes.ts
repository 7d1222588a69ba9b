import { join } from "node:path"
import { Deferred, Effect, Option } from "effect"
import { readReceipt } from "./Receipt.ts"
import { createWhole, readWhole } from "../files/WholeFile.ts"

/** A process that has ended is seen by the kernel's word before Node tells us how. */
const patience = "2 seconds"

/**
 * How headless launches ended, in `<id>.exit` (0600) beside the receipt, for the souffleur that comes after too. Only
 * who started a process is told its exit code: of what ended while no souffleur was there nobody knows.
 */
export const makeExitCodes = (folder: string, receiptOf: (id: string) => string) => {
  /** Started by this process, and not ended yet. */
  const running = new Map<string, Deferred.Deferred<void>>()
  const fileOf = (id: string) => join(folder, `${id}.exit`)

  return {
    started: (id: string): void => void running.set(id, Deferred.makeUnsafe()),
    /**
     * The end is the launch's if this pid took its receipt: a second launcher ends at once. What cannot be written is
     * not known.
     */
    ended: (id: string, pid: number | undefined, exitCode: number): void => {
      try {
        const receipt = readReceipt(receiptOf(id))
        if (Option.exists(receipt, (one) => one._tag === "Taken" && one.process.pid === pid))
          createWhole(fileOf(id), String(exitCode))
      } catch {
        // Of an unknown end nothing is made but a death.
      }
      const waiting = running.get(id)
      running.delete(id)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
    },
    of: Effect.fn("ExitCodes.of")(function* (id: string) {
      const waiting = running.get(id)
      if (waiting !== undefined) yield* Effect.timeoutOption(Deferred.await(waiting), patience)
      return yield* Effect.sync(() => {
        const text = readWhole(fileOf(id)) ?? ""
        return /^\d{1,3}$/u.test(text) ? Option.some(Number(text)) : Option.none()
      })
    })
  }
}
