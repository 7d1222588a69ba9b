import { join } from "node:path"
import type { ProcessEnd } from "@souffleur/domain"
import { Deferred, Effect, Option } from "effect"
import { lateCode } from "./LaunchFile.ts"
import { readReceipt } from "./Receipt.ts"
import { createWhole, readWhole } from "../files/WholeFile.ts"

/** The kernel shows that a process has ended before Node reports how. */
const endTimeout = "2 seconds"

/** Reads the content of an end's file: an exit code, or the name of a signal. */
const parseEnd = (text: string): Option.Option<ProcessEnd> => {
  if (/^\d{1,3}$/u.test(text)) return Option.some({ _tag: "Exited", code: Number(text) })
  return /^SIG[A-Z0-9]{1,12}$/u.test(text) ? Option.some({ _tag: "Killed", signal: text }) : Option.none()
}

/**
 * Records how headless launches ended, in `<id>.exit` (0600) beside the receipt. A later souffleur reads it there. Only
 * the parent of a process learns how it ended. So that is unknown if no souffleur was running at the end.
 */
export const makeLaunchEnds = (folder: string, receiptOf: (id: string) => string) => {
  /** Launches that this process started and that have not ended yet. */
  const running = new Map<string, Deferred.Deferred<void>>()
  const fileOf = (id: string) => join(folder, `${id}.exit`)

  return {
    started: (id: string): void => void running.set(id, Deferred.makeUnsafe()),
    /**
     * Records an end if this pid took the launch's receipt, since a second launcher ends at once. A terminal has
     * another pid, and such a launcher is known by its code. An end that cannot be written stays unknown.
     */
    ended: (id: string, pid: number | "pty" | undefined, end: ProcessEnd): void => {
      const late = end._tag === "Exited" && end.code === lateCode
      try {
        const receipt = readReceipt(receiptOf(id))
        const isTaker = (taker: number) => (pid === "pty" ? !late : taker === pid)
        if (Option.exists(receipt, (one) => one._tag === "Taken" && isTaker(one.process.pid)))
          createWhole(fileOf(id), end._tag === "Exited" ? String(end.code) : end.signal)
      } catch {
        // An unknown end counts as a death.
      }
      const waiting = running.get(id)
      running.delete(id)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
    },
    of: Effect.fn("LaunchEnds.of")(function* (id: string) {
      const waiting = running.get(id)
      if (waiting !== undefined) yield* Effect.timeoutOption(Deferred.await(waiting), endTimeout)
      return yield* Effect.sync(() => parseEnd(readWhole(fileOf(id)) ?? ""))
    })
  }
}
