import type { ResolvedSettings } from "@souffleur/domain"
import { isDraft } from "@souffleur/process"
import { Clock, Duration, Effect, FileSystem, Option, Path } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { note, passed, wrong } from "./Finding.ts"
import { filesIn } from "./StateFolderFiles.ts"

/** Drafts and undecided launches live for a moment. An older one was left by a process that was killed. */
const isMomentary = (name: string) => name.endsWith(".json") || isDraft(name)
const draftLife = Duration.minutes(10)

const olderThan = Effect.fnUntraced(function* (file: string, at: number) {
  const info = yield* Effect.option(Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(file)))
  return Option.exists(
    Option.flatMap(info, ({ mtime }) => mtime),
    (time) => time.getTime() < at
  )
})

/** Checks for files of processes that were killed. */
export const draftsCheck = Effect.fn("draftsCheck")(function* (settings: ResolvedSettings) {
  const path = yield* Path.Path
  const now = yield* Clock.currentTimeMillis
  const files = (yield* filesIn(settings)).filter((file) => isMomentary(path.basename(file)))
  const left = yield* Effect.filter(files, (file) => olderThan(file, now - Duration.toMillis(draftLife)))
  return left.length === 0
    ? passed("leftovers", "none")
    : note(
        "leftovers",
        `${left.length} drafts and launch files of processes that were killed: ${left.slice(0, 3).join(", ")}`,
        "delete them"
      )
})

/** Finds environments of first launches that no unfinished watch names. Each should go with the end of its watch. */
export const keptCheck = Effect.fn("keptCheck")(function* (
  { stateDir }: ResolvedSettings,
  watches: ReadonlyArray<NamedWatch>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(stateDir, "launches")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const now = yield* Clock.currentTimeMillis
  const unfinished = watches.filter(({ watch }) => watch.phase !== "Exited").map(({ id }) => `${id}-g1-`)
  const left = yield* Effect.filter(
    names.filter((name) => name.endsWith(".kept") && !unfinished.some((beginning) => name.startsWith(beginning))),
    (name) => olderThan(path.join(folder, name), now - Duration.toMillis(draftLife))
  )
  return left.length === 0
    ? []
    : [
        wrong(
          "leftovers",
          `${left.length} environments of launches that no watch needs any more, perhaps with keys: ${left.slice(0, 3).join(", ")}`,
          `delete them: they are in ${folder}`
        )
      ]
})

/**
 * Bytes on disk of outputs of launches above which a person should look. souffleur bounds the outputs of its own
 * launches.
 */
const maxOutputBytes = 1_073_741_824

/** Checks how much room the outputs of launches take. */
export const outputsCheck = Effect.fn("outputsCheck")(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(stateDir, "launches")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const infos = yield* Effect.forEach(names, (name) => Effect.option(fs.stat(path.join(folder, name))))
  const blocks = infos.map((info) =>
    Number(
      Option.getOrElse(
        Option.flatMap(info, ({ blocks }) => blocks),
        () => 0
      )
    )
  )
  const bytes = blocks.reduce((all, one) => all + one * 512, 0)
  return bytes > maxOutputBytes
    ? [
        note(
          "outputs",
          `the output of launches takes ${Math.round(bytes / 1e6)} MB in ${folder}`,
          "delete what you no longer need: ls -t there"
        )
      ]
    : []
})
