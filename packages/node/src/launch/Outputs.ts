import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { hasCode } from "../files/SystemError.ts"

/** Limit of one output of a launch in bytes on disk, and the newest bytes that a cut leaves. */
const [maxBytes, keptBytes] = [33_554_432, 16_777_216]
/** Interval between two checks: of growing outputs, right after a cut, and while nothing is printed. */
const [checkInterval, cutInterval, restInterval] = ["500 millis", "50 millis", "1 minute"] as const
/** Outputs of one watch or run that may still grow, the newest first: two of its agent and of each compaction. */
const maxOutputs = 16

const isOutput = (name: string) => name.endsWith(".out") || name.endsWith(".err")

/** Lists the newest outputs of launches whose id begins with `prefix`. `used` is bytes on disk, without holes. */
const outputs = (folder: string, prefix: string) =>
  fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && isOutput(name))
    .flatMap((name) => {
      const path = join(folder, name)
      const found = fs.lstatSync(path, { throwIfNoEntry: false })
      return found?.isFile() === true ? [{ path, at: found.mtimeMs, size: found.size, used: found.blocks * 512 }] : []
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, maxOutputs)

/**
 * Frees the disk space of all but the newest bytes, by a hole in the file. Writers and readers of the file are not
 * disturbed, nor is a verdict at its end. Node has no call for it, so `fallocate` of util-linux does it. Returns
 * `false` where it cannot be done.
 */
const cut = (path: string, size: number) =>
  Effect.callback<boolean>((resume) => {
    const args = ["--punch-hole", "--offset", "0", "--length", String(size - keptBytes), path]
    const child = execFile(
      "fallocate",
      args,
      { env: { PATH: "/usr/local/bin:/usr/bin:/bin" }, timeout: 60_000 },
      (error) => resume(Effect.succeed(error === null))
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Waits until something in a folder changes; for ever if it is not there. Returns at once where nobody can tell. */
const stirred = (folder: string) =>
  Effect.acquireUseRelease(
    Effect.try(() => fs.watch(folder)),
    (watcher) =>
      Effect.callback<void>((resume) => {
        const stir = () => resume(Effect.void)
        watcher.once("change", stir).once("error", stir)
      }),
    (watcher) => Effect.sync(() => watcher.close())
  ).pipe(Effect.catch(({ cause }) => (hasCode(cause, "ENOENT") ? Effect.never : Effect.void)))

/**
 * Bounds the output of the folder's launches whose ids begin with `prefix`, for ever. Each output has at most 32 MiB on
 * disk, and the output between two checks. Checks are half a second apart, or a twentieth of a second after a cut.
 * While nothing is printed, the next check waits for the folder to change. Warns once and returns where the disk cannot
 * do it.
 */
export const boundOutputs = Effect.fn("boundOutputs")(function* (folder: string, prefix: string) {
  let able = true
  let last = Number.NaN
  while (able) {
    const found = yield* Effect.orElseSucceed(
      Effect.try(() => outputs(folder, prefix)),
      () => []
    )
    const large = found.filter(({ used }) => used > maxBytes)
    for (const { path, size } of large) able = (yield* cut(path, size)) && able
    const printed = found.reduce((sum, { size }) => sum + size, 0)
    if (large.length === 0 && printed === last) yield* Effect.timeoutOption(stirred(folder), restInterval)
    last = printed
    yield* Effect.sleep(large.length > 0 ? cutInterval : checkInterval)
  }
  yield* Effect.logWarning(
    `the output in ${folder} cannot be bounded: fallocate (util-linux) is not there, or this disk has no holes`
  )
})
