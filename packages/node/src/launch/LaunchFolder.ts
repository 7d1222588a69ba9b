import { LaunchFailed, type PrintedOn, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../files/Folder.ts"
import { fullDisk, meansFull } from "../files/SystemError.ts"
import { createWhole, readWhole } from "../files/WholeFile.ts"
import { encodeLaunch, isLaunchId, type Launch, readLaunch } from "./LaunchFile.ts"
import { keptLaunch, keptPath, sha256 } from "./KeptLaunch.ts"
import { readReceipt } from "./Receipt.ts"
import { claimReceipt, receiptBeside } from "./ReceiptClaim.ts"

/**
 * Removes a file of a launch. It holds an environment, perhaps with a key, and is not read after the receipt. `doctor`
 * reports what cannot be removed.
 */
const remove = (path: string) => {
  try {
    fs.rmSync(path, { force: true })
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}

/**
 * Makes the folder of launches: launch files by their ids, their receipts, and copies of commands. Fails with
 * `LaunchFailed` where it cannot be made, or closed to others.
 */
export const makeLaunchFolder = Effect.fnUntraced(function* (stateDir: string) {
  const folder = join(stateDir, "launches")
  yield* Effect.try({
    try: () => {
      makeFolder(folder)
      fs.chmodSync(folder, 0o700)
    },
    catch: () => new LaunchFailed({ message: `the folder of launches, ${folder}, cannot be used` })
  })
  const pathOf = (id: string) => join(folder, `${id}.json`)
  const receiptOf = (id: string) => receiptBeside(pathOf(id))
  const keptOf = (id: string) => keptPath(stateDir, id)
  /** Digests of launches that were written here and are not launched yet. A file that changed since is not launched. */
  const prepared = new Map<string, string>()

  const checkId = (id: string) =>
    isLaunchId(id) ? Effect.void : new LaunchFailed({ message: "a launch id is letters, digits and `-`" })

  /** Forgets a launch whose receipt is taken: nothing reads its file any more. */
  const decided = (id: string) => {
    prepared.delete(id)
    remove(pathOf(id))
  }

  return {
    folder,
    pathOf,
    receiptOf,
    outputPath: (id: string, of: PrintedOn = "stdout") => join(folder, `${id}.${of === "stdout" ? "out" : "err"}`),
    checkId,
    decided,
    /** Writes a launch file, and a copy with `keep`. Returns the digest. The same launch again is that launch. */
    write: Effect.fnUntraced(function* (launch: Launch, keep: boolean) {
      const { id } = launch
      const text = encodeLaunch(launch)
      const made = yield* Effect.try({
        try: () =>
          [...(keep ? [keptOf(id)] : []), pathOf(id)].every(
            (path) => createWhole(path, text) || readWhole(path) === text
          ),
        catch: (error) => {
          const why = meansFull(error) ? `: ${fullDisk}` : ""
          return new LaunchFailed({ message: `the launch file cannot be written in ${folder}${why}` })
        }
      })
      if (!made) return yield* new LaunchFailed({ message: "another launch was prepared with this id" })
      const digest = sha256(text)
      prepared.set(id, digest)
      return digest
    }),
    /** Reads a launch file. Fails where it is missing, damaged, or not the prepared one. */
    read: Effect.fnUntraced(function* (id: string) {
      const digest = prepared.get(id)
      const launch = yield* Effect.sync(() => readLaunch(pathOf(id)))
      if (launch === undefined) return yield* new LaunchFailed({ message: "the launch file is missing or damaged" })
      if (digest !== undefined && digest !== sha256(encodeLaunch(launch)))
        return yield* new LaunchFailed({ message: "the launch file differs from the prepared one" })
      return launch
    }),
    /**
     * Decides a launch, and returns the process that took the receipt. `None`: the launch is cancelled for ever. Dies
     * where it cannot be decided.
     */
    close: (id: string) =>
      Effect.sync((): Option.Option<ProcessIdentity> => {
        claimReceipt(receiptOf(id), { _tag: "Cancelled" })
        const receipt = Option.getOrThrow(readReceipt(receiptOf(id)))
        decided(id)
        return receipt._tag === "Taken" ? Option.some(receipt.process) : Option.none()
      }),
    /** Reads the copy of a launch, by the digest that the log has. */
    kept: Effect.fn("Launcher.kept")(function* (id: string, digest: string) {
      yield* checkId(id)
      const launch = yield* Effect.sync(() => keptLaunch(stateDir, id, digest))
      if (launch === undefined)
        return yield* new LaunchFailed({
          message: "the stored command is missing, or differs from the prepared one"
        })
      const { args, cwd, environment, input, output, place, program, terminal, title, words, prompt, until } = launch
      const command = {
        program,
        args,
        environment,
        ...(input === null ? {} : { input }),
        ...(output === null ? { window: true } : {})
      }
      return {
        command,
        cwd,
        terminal,
        place,
        title,
        ...(words === undefined ? {} : { words }),
        ...(prompt === undefined ? {} : { prompt }),
        ...(until === undefined ? {} : { until })
      }
    }),
    forget: Effect.fn("Launcher.forget")(function* (id: string) {
      if (!isLaunchId(id)) return
      yield* Effect.sync(() => {
        remove(keptOf(id))
        decided(id)
      })
    })
  }
})
