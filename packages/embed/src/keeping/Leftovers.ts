import { unfinishedRuns } from "@souffleur/plan"
import { Settings } from "@souffleur/domain"
import { isDraft } from "@souffleur/process"
import { Clock, Duration, Effect, FileSystem, Option, Path } from "effect"
import { unfinishedWatches } from "../watching/FindWatch.ts"

/** An undecided launch or a draft. Each may hold an environment or a prompt. */
const launchFile = /^(.+)\.(?:json|kept)$/u
/** A file's launch is in the log a moment later. An older file was left by a process that was killed. */
const minAge = Duration.minutes(10)

/** Returns the prefixes of launches that may still happen, in unfinished watches and runs. */
const awaited = Effect.gen(function* () {
  const watches = (yield* unfinishedWatches).map(({ id }) => `${id}-`)
  const conducted = yield* unfinishedRuns
  return [...watches, ...conducted.map(({ id }) => `run-${id}-`)]
})

/**
 * Removes the files that killed processes left in `launches/`. They are older than ten minutes, and no unfinished watch
 * or run of the log names them. Where the log cannot be read, nothing is removed.
 */
export const sweep = Effect.fn("Leftovers.sweep")(
  function* () {
    const { stateDir } = yield* Settings
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const now = yield* Clock.currentTimeMillis
    const folder = path.join(stateDir, "launches")
    const old = yield* Effect.filter(
      (yield* fs.readDirectory(folder)).filter((name) => launchFile.test(name) || isDraft(name)),
      (name) =>
        Effect.map(Effect.option(fs.stat(path.join(folder, name))), (info) =>
          Option.exists(
            Option.flatMap(info, ({ mtime }) => mtime),
            (time) => now - time.getTime() > Duration.toMillis(minAge)
          )
        )
    )
    if (old.length === 0) return
    const needed = yield* awaited
    const left = old.filter((name) => isDraft(name) || !needed.some((prefix) => name.startsWith(prefix)))
    yield* Effect.forEach(left, (name) => Effect.ignore(fs.remove(path.join(folder, name), { recursive: true })), {
      discard: true
    })
  },
  // A failure here delays no watch. `doctor` reports the files that are left.
  (sweeping) => Effect.ignoreCause(sweeping)
)
