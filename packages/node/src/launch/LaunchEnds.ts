import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import type { ProcessEnd } from "@souffleur/domain"
import { Deferred, Effect, Option, Schedule } from "effect"
import { lateCode } from "./LaunchFile.ts"
import { readReceipt } from "./Receipt.ts"
import { createWhole, readWhole } from "../files/WholeFile.ts"

/** The kernel shows that a process has ended before Node reports how. */
const endTimeout = "2 seconds"

/** The files of a launch in a window, which tells its end itself. Each path is absolute. */
export interface WindowFiles {
  readonly output: string
  /** Says that the launch has a window, and holds its exit code once it has ended. */
  readonly window: string
  /** The same file under the name of an end, once all that was printed is in `output`. */
  readonly exit: string
}

/** Reads the content of an end's file: an exit code, or the name of a signal. */
const parseEnd = (text: string): Option.Option<ProcessEnd> => {
  if (/^\d{1,3}$/u.test(text)) return Option.some({ _tag: "Exited", code: Number(text) })
  return /^SIG[A-Z0-9]{1,12}$/u.test(text) ? Option.some({ _tag: "Killed", signal: text }) : Option.none()
}

const textOf = (end: ProcessEnd): string => (end._tag === "Exited" ? String(end.code) : end.signal)

/** Reads an exit code as a shell tells it: 128 and a signal's number stand for that signal. */
const endOfShell = (end: ProcessEnd): ProcessEnd => {
  const number = end._tag === "Exited" ? end.code - 128 : 0
  const [signal] = Object.entries(os.constants.signals).find(([, its]) => its === number) ?? []
  return signal === undefined ? end : { _tag: "Killed", signal }
}

/**
 * Records how launches ended, in `<id>.exit` (0600) beside the receipt. A later souffleur reads it there. Only the
 * parent of a process learns how it ended. So the end of a headless launch is unknown if no souffleur was running then.
 * A window records the end of its launch itself.
 */
export const makeLaunchEnds = (folder: string, receiptOf: (id: string) => string) => {
  /** Launches that this process started and that have not ended yet. */
  const running = new Map<string, Deferred.Deferred<void>>()
  const fileOf = (id: string) => join(folder, `${id}.exit`)
  const windowOf = (id: string) => join(folder, `${id}.window`)
  const inWindow = (id: string) => fs.existsSync(windowOf(id))
  const recorded = (id: string) => Effect.sync(() => fs.existsSync(fileOf(id)))

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
          createWhole(fileOf(id), textOf(pid === "pty" ? endOfShell(end) : end))
      } catch {
        // An unknown end counts as a death.
      }
      const waiting = running.get(id)
      running.delete(id)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
    },
    /** Makes the file that says that a launch has a window. */
    window: (id: string): WindowFiles => {
      fs.writeFileSync(windowOf(id), "", { flag: "a", mode: 0o600 })
      return { output: join(folder, `${id}.out`), window: windowOf(id), exit: fileOf(id) }
    },
    inWindow,
    of: Effect.fn("LaunchEnds.of")(function* (id: string) {
      const waiting = running.get(id)
      if (waiting !== undefined) yield* Effect.timeoutOption(Deferred.await(waiting), endTimeout)
      else if (inWindow(id))
        yield* Effect.timeoutOption(
          Effect.repeat(recorded(id), { until: (so) => so, schedule: Schedule.spaced("5 millis") }),
          endTimeout
        )
      const end = yield* Effect.sync(() => parseEnd(readWhole(fileOf(id)) ?? ""))
      return inWindow(id) ? Option.map(end, endOfShell) : end
    })
  }
}
