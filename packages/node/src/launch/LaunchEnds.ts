import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { type LaunchEnd, LaunchFailed, type ProcessEnd } from "@souffleur/domain"
import { Effect, Option, Schedule } from "effect"
import { fullDisk, meansFull } from "../files/SystemError.ts"
import { readWhole } from "../files/WholeFile.ts"

/** The kernel shows that a process has ended before its launch has recorded how. */
const endTimeout = "2 seconds"

/** The files of a launch in a window, which tells its end itself. Each path is absolute. */
export interface WindowFiles {
  readonly output: string
  /** Says that the launch has a window, and holds its exit code once it has ended. */
  readonly window: string
  /** The same file under the name of an end, once all that was printed is in `output`. */
  readonly exit: string
}

/** The longest end, in blanks: they are written over in place, which needs no room of a disk that is full by then. */
const room = " ".repeat(3)

/** Reads the content of an end's file: an exit code, or the name of a signal. */
const parseEnd = (text: string): Option.Option<ProcessEnd> => {
  if (/^\d{1,3}$/u.test(text)) return Option.some({ _tag: "Exited", code: Number(text) })
  return /^SIG[A-Z0-9]{1,12}$/u.test(text) ? Option.some({ _tag: "Killed", signal: text }) : Option.none()
}

/** Reads an exit code as a shell tells it: 128 and a signal's number stand for that signal. */
const endOfShell = (end: ProcessEnd): ProcessEnd => {
  const number = end._tag === "Exited" ? end.code - 128 : 0
  const [signal] = Object.entries(os.constants.signals).find(([, its]) => its === number) ?? []
  return signal === undefined ? end : { _tag: "Killed", signal }
}

/** A launch that has ended, and when: the time of its file, epoch ms. */
const readEnd = (path: string): Option.Option<LaunchEnd> =>
  Option.map(parseEnd((readWhole(path) ?? "").trimEnd()), (end) => ({
    end: endOfShell(end),
    at: fs.statSync(path).mtimeMs
  }))

/**
 * Reads how launches ended, from `<id>.exit` (0600) beside the receipt. Only the parent of a process learns how it
 * ended. So the shell that waits for each launch writes that file, whether souffleur lives or not.
 */
export const makeLaunchEnds = (folder: string) => {
  const fileOf = (id: string) => join(folder, `${id}.exit`)
  const windowOf = (id: string) => join(folder, `${id}.window`)

  return {
    fileOf,
    /** Makes the file for the end that the shell of a launch writes. Fails with `LaunchFailed` where that fails. */
    reserve: (id: string) =>
      Effect.try({
        try: () => void (fs.existsSync(fileOf(id)) || fs.writeFileSync(fileOf(id), room, { flag: "wx", mode: 0o600 })),
        catch: (error) =>
          new LaunchFailed({
            message: `the end of a launch cannot be kept in ${folder}${meansFull(error) ? `: ${fullDisk}` : ""}`,
            momentary: true
          })
      }),
    /** Makes the file that says that a launch has a window. */
    window: (id: string): WindowFiles => {
      fs.writeFileSync(windowOf(id), "", { flag: "a", mode: 0o600 })
      return { output: join(folder, `${id}.out`), window: windowOf(id), exit: fileOf(id) }
    },
    inWindow: (id: string) => fs.existsSync(windowOf(id)),
    /** Returns the end of a launch whose process is over. It is waited for a little. */
    of: Effect.fn("LaunchEnds.of")(function* (id: string) {
      const read = Effect.sync(() => readEnd(fileOf(id)))
      const found = yield* Effect.timeoutOption(
        Effect.repeat(read, { until: Option.isSome, schedule: Schedule.spaced("5 millis") }),
        endTimeout
      )
      return Option.flatten(found)
    })
  }
}
