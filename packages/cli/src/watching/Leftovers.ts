import { allRuns, isOver } from "@souffleur/plan"
import type { ResolvedSettings } from "@souffleur/domain"
import { Clock, Duration, Effect, FileSystem, Option, Path } from "effect"
import { runs } from "../world/RunDirectory.ts"
import { allWatches } from "./FindWatch.ts"

/** A launch that nobody has decided, and a draft: each may hold an environment or a prompt. */
const launchFile = /^(.+)\.(?:json|kept)$/u
const draft = /^\.new-/u
/** What is written down is in the log a moment later; whoever takes longer was killed between the two. */
const patience = Duration.minutes(10)

/** How the launches are called that somebody may still make: those of watches and of runs that have not ended. */
const awaited = (settings: ResolvedSettings) =>
  Effect.gen(function* () {
    const watches = (yield* allWatches).filter(({ watch }) => watch.phase !== "Exited").map(({ id }) => `${id}-`)
    const conducted = (yield* Effect.provide(allRuns, runs(settings))).filter(
      ({ run, unreadable }) => unreadable !== undefined || !isOver(run)
    )
    return [...watches, ...conducted.map(({ id }) => `run-${id}-`)]
  })

/**
 * Removes what killed processes left in `launches/`: older than ten minutes, and named by no unfinished watch or run of
 * the log. A log that cannot be read names everything.
 */
export const sweep = Effect.fn("Leftovers.sweep")(
  function* (settings: ResolvedSettings) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const now = yield* Clock.currentTimeMillis
    const folder = path.join(settings.stateDir, "launches")
    const old = yield* Effect.filter(
      (yield* fs.readDirectory(folder)).filter((name) => launchFile.test(name) || draft.test(name)),
      (name) =>
        Effect.map(Effect.option(fs.stat(path.join(folder, name))), (info) =>
          Option.exists(
            Option.flatMap(info, ({ mtime }) => mtime),
            (time) => now - time.getTime() > Duration.toMillis(patience)
          )
        )
    )
    if (old.length === 0) return
    const needed = yield* awaited(settings)
    const left = old.filter((name) => draft.test(name) || !needed.some((prefix) => name.startsWith(prefix)))
    yield* Effect.forEach(left, (name) => Effect.ignore(fs.remove(path.join(folder, name), { recursive: true })), {
      discard: true
    })
  },
  // It holds nobody up: what cannot be removed, doctor tells.
  (sweeping) => Effect.ignoreCause(sweeping)
)
