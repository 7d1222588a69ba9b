import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"

/** Bytes on disk of what one launch prints, and how many of the newest are left when it has more. */
const [most, kept] = [33_554_432, 16_777_216]
/** Between two looks: of what is quiet, and of what was just cut. */
const [every, hurried] = ["500 millis", "50 millis"] as const
/** Outputs of one watch or run that may still grow: its agent's and its compactions', the newest of them. */
const living = 8

/**
 * What is printed by launches whose id begins so, written to last first; each with its bytes on disk, which holes are
 * not.
 */
const outputs = (folder: string, prefix: string) =>
  fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(".out"))
    .flatMap((name) => {
      const path = join(folder, name)
      const found = fs.lstatSync(path, { throwIfNoEntry: false })
      return found?.isFile() === true ? [{ path, at: found.mtimeMs, size: found.size, used: found.blocks * 512 }] : []
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, living)

/**
 * Gives the disk back what is older than the newest bytes, by a hole: an agent that writes on meanwhile, its verdict at
 * the end, and whoever reads from a place in the file notice nothing. Node has no call for it; `fallocate` is of
 * util-linux. `false`: it cannot be done here.
 */
const cut = (path: string, size: number) =>
  Effect.callback<boolean>((resume) => {
    const args = ["--punch-hole", "--offset", "0", "--length", String(size - kept), path]
    const child = execFile(
      "fallocate",
      args,
      { env: { PATH: "/usr/local/bin:/usr/bin:/bin" }, timeout: 60_000 },
      (error) => resume(Effect.succeed(error === null))
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/**
 * Bounds what the launches of a folder print whose ids begin with `prefix`, for ever: each has at most 32 MiB on disk,
 * and what it prints between two looks, half a second apart, or a twentieth of one while it is being cut. A disk that
 * cannot do it is told of once.
 */
export const boundOutputs = Effect.fn("boundOutputs")(function* (folder: string, prefix: string) {
  let able = true
  while (able) {
    const large = yield* Effect.orElseSucceed(
      Effect.try(() => outputs(folder, prefix).filter(({ used }) => used > most)),
      () => []
    )
    for (const { path, size } of large) able = (yield* cut(path, size)) && able
    yield* Effect.sleep(large.length > 0 ? hurried : every)
  }
  yield* Effect.logWarning(
    `what is printed into ${folder} cannot be bounded: fallocate (util-linux) is not there, or this disk has no holes`
  )
})
