import { Processes, type ResolvedSettings, Settings } from "@souffleur/domain"
import {
  allWatches,
  layerAgentFiles,
  layerClaims,
  layerHost,
  layerStore,
  layerStoreReading
} from "@souffleur/embed/internal"
import { Claims as NodeClaims, TrustedFiles } from "@souffleur/node"
import { allRuns } from "@souffleur/plan"
import { findConfig } from "@souffleur/process"
import { Console, Effect, FileSystem, Layer, Path, Result } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { BadUsage, Ended } from "../Failure.ts"
import { printTable } from "../explain/TextTable.ts"
import { printJson } from "../Printing.ts"
import { unlessAtWork } from "../uninstall/AtWork.ts"
import { traces } from "../uninstall/Traces.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

/**
 * Returns the folders of all watches and runs. Fails with `StillAtWork` while one is at work, and with `BadUsage` in an
 * agent's session. A dry run only says that one is at work. Where there is no log, there is none of them.
 */
const knownProjects = Effect.fnUntraced(function* (settings: ResolvedSettings, dryRun: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* fs.exists(path.join(settings.stateDir, "souffleur.db")))) return []
  return yield* Effect.gen(function* () {
    yield* personOnly("an uninstall")
    const idle = unlessAtWork()
    yield* dryRun ? Effect.catchTag(idle, "StillAtWork", ({ message }) => Console.error(message)) : idle
    const watches = (yield* allWatches).map(({ watch }) => watch.project)
    return [...watches, ...(yield* allRuns).map(({ run }) => run.project)]
  }).pipe(
    Effect.provide([
      // A dry run only looks. An uninstall removes no log that cannot be used.
      (dryRun ? layerStoreReading : layerStore)(settings),
      Layer.provideMerge(Layer.merge(layerAgentFiles(settings), layerClaims), layerHost)
    ])
  )
})

/** Asks before anything goes. Fails with `BadUsage` where no person can answer. */
const confirmed = Effect.fnUntraced(function* (count: number) {
  const { interactive } = yield* Environment
  if (!interactive)
    return yield* new BadUsage({ message: "nothing is removed without --yes; --dry-run lists what would go" })
  return yield* Effect.catchTag(Prompt.run(Prompt.Confirm({ message: `Remove these ${count}?` })), "QuitError", () =>
    Effect.succeed(false)
  )
})

/** Returns the config files of projects. Each belongs to its user. */
const configsOf = Effect.fnUntraced(function* (projects: ReadonlyArray<string>) {
  const found = yield* Effect.forEach(new Set(projects), findConfig)
  return new Set(found.flatMap(({ source }) => (source === null ? [] : [source])))
})

/**
 * Removes the claims of dead souffleurs, and the folders that are empty now. Claims of living ones stay, and so does a
 * folder with them.
 */
const tidied = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const { uid } = (yield* Processes).host
  const claims = yield* NodeClaims.abandoned()
  // Where another process removes them now, they go too.
  yield* Effect.ignore(claims.remove)
  yield* TrustedFiles.removeEmptyFolder(NodeClaims.usualFolder(uid))
  return yield* TrustedFiles.removeEmptyFolder(stateDir)
}, Effect.provide(layerHost))

/** Says how the command itself goes, where npm installed it for every project. */
const tellNpm = Effect.flatMap(Environment, ({ published }) =>
  published?.includes("/lib/node_modules/@souffleur/cli") === true
    ? Console.log("The command itself goes with: npm uninstall -g @souffleur/cli")
    : Effect.void
)

/** Removes what souffleur installed, once no work of it is left (spec: command-line#uninstall). */
export const uninstallCommand = Command.make(
  "uninstall",
  {
    projectDir,
    state: Flag.Boolean("state").pipe(
      Flag.withDescription("Remove the log, the launches and the exports too"),
      Flag.withDefault(false)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("List what would go, and remove nothing"),
      Flag.withDefault(false)
    ),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Ask nothing"), Flag.withDefault(false)),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const settings = yield* Settings
    const projects = [yield* Project, ...(yield* knownProjects(settings, flags.dryRun))]
    const all = yield* traces(settings, projects)
    const found = all.filter(({ kind }) => flags.state || kind !== "state")
    const listed = found.map(({ kind, path }) => ({ kind, path }))
    const kept = all.filter((one) => !found.includes(one))
    const stay = [
      ...kept.map(({ path }) => ({ path, message: "--state removes it too" })),
      ...Array.from(yield* configsOf(projects), (path) => ({ path, message: "it is your file" }))
    ]
    const staying = stay.map(({ message, path }) => ["stays", `${path}: ${message}`])
    if (found.length === 0) {
      if (flags.json) return yield* printJson({ found, removed: [], left: stay })
      yield* Console.log(`There is nothing ${stay.length === 0 ? "" : "else "}of souffleur here.`)
      yield* printTable(staying)
      return yield* tellNpm
    }
    if (flags.json && flags.dryRun) return yield* printJson({ found: listed, removed: [], left: stay })
    if (!flags.json)
      yield* printTable([...listed.map(({ kind, path }) => [kind, path]), ...(flags.dryRun ? staying : [])])
    if (flags.dryRun) return
    if (!flags.yes && !(yield* confirmed(found.length))) return
    const left: Array<{ readonly path: string; readonly message: string }> = []
    for (const { path, remove } of found) {
      const done = yield* Effect.result(remove)
      if (Result.isFailure(done)) left.push({ path, message: done.failure.message })
    }
    const removed = listed.filter(({ path }) => !left.some((one) => one.path === path))
    const gone = yield* tidied(settings)
    if (flags.json) yield* printJson({ found: listed, removed, left })
    else {
      yield* Effect.forEach(left, ({ message, path }) => Console.error(`${path} stays: ${message}`))
      yield* Console.log(`${removed.length} of ${found.length} are removed.`)
      if (!gone)
        yield* Console.error(
          `${settings.stateDir} stays${flags.state ? "" : ", with the log: --state removes it too"}.`
        )
      yield* tellNpm
    }
    if (left.length > 0) return yield* new Ended({ code: 1 })
  })
).pipe(withSettings)
