import type { ResolvedSettings } from "@souffleur/domain"
import { forgetHooked, hookedFiles, hookedFolder, hookPlaces, pluginsHere } from "@souffleur/embed/internal"
import { compiledDir } from "@souffleur/node"
import { isDraft, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { agentHooked, agentsWithHooks } from "../agent/HookedAgent.ts"
import { completionsHere, uninstallCompletion } from "../completions/CompletionFile.ts"
import { installed, uninstall } from "../service/ServiceManager.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { orNotRemoved, ownTrace, type Trace } from "./Trace.ts"

type Needs<T> = T extends ReadonlyArray<Trace<infer R>> ? R : never

/** Many small looks at files, which wait for no other. */
const together = { concurrency: "unbounded" } as const

/** The names in the state folder that go with souffleur itself. */
const names: ReadonlyArray<readonly [Trace<never>["kind"], ReadonlyArray<string>]> = [
  ["hook signs", ["hooks", hookedFolder]],
  ["page", ["page.token", "metrics.token", "page.served", "page.html"]],
  ["fleet", ["fleet.json", "fleet-login.json"]],
  ["trust", ["trust"]],
  ["guardian", ["guardians", "restorations"]]
]
/** The names in the state folder that a person may want to keep. */
const stateNames = [
  "souffleur.db",
  "souffleur.db-wal",
  "souffleur.db-shm",
  "souffleur.db-journal",
  "launches",
  "exports",
  "requests",
  "quarantine",
  // Keys of channels, which only their user can make again.
  "secrets"
]

/**
 * Finds the agents' settings files that have souffleur's hooks, both the recorded ones and those in every known
 * project.
 */
const hooks = Effect.fn("hooks")(function* (settings: ResolvedSettings, projects: ReadonlyArray<string>) {
  const { stateDir } = settings
  const recorded = yield* hookedFiles(stateDir)
  const places = yield* Effect.forEach(agentsWithHooks, (kind) => hookPlaces(kind, settings, ...projects))
  const files = new Set([...recorded, ...places.flat().map(({ file }) => file)])
  // Each agent finds the hooks of all, and each hook names its agent.
  const [first] = agentsWithHooks
  const found = yield* Effect.forEach(
    files,
    (file) =>
      Effect.match(first!.hooks.status(file), {
        onSuccess: (status) => (status.events.length > 0 ? [{ file, hooks: agentHooked(status).hooks }] : []),
        // Its removal says why it cannot be read. A file without a record is left to its user.
        onFailure: () => (recorded.includes(file) ? [{ file, hooks: first!.hooks }] : [])
      }),
    together
  )
  return found.flat().map(({ file, hooks }) => ({
    kind: "hooks" as const,
    path: file,
    remove: orNotRemoved(Effect.andThen(hooks.uninstall(file), forgetHooked(stateDir, file)))
  }))
})

/** Finds the plugins that souffleur wrote. One of another program is none. */
const plugins = Effect.fn("plugins")(function* (settings: ResolvedSettings) {
  const found = yield* Effect.forEach(yield* pluginsHere(agentKind, settings), ({ agentDir, plugin }) =>
    Effect.match(plugin.status(agentDir), {
      onSuccess: ({ is, path }) =>
        is === "none" || is === "foreign"
          ? []
          : [{ kind: "plugin" as const, path, remove: orNotRemoved(plugin.uninstall(agentDir)) }],
      onFailure: () => []
    })
  )
  return found.flat()
})

const services = Effect.fn("services")(function* () {
  return (yield* installed()).map(({ file, id }) => ({
    kind: "service" as const,
    path: file,
    remove: orNotRemoved(Effect.scoped(uninstall(id)))
  }))
})

const completions = Effect.fn("completions")(function* () {
  return (yield* completionsHere).map(({ file, shell }) => ({
    kind: "completion" as const,
    path: file,
    remove: orNotRemoved(uninstallCompletion(shell))
  }))
})

/**
 * Finds everything that souffleur has left on this machine, hooks first. `projects`: the folders of all watches and
 * runs.
 */
export const traces = Effect.fn("traces")(function* (settings: ResolvedSettings, projects: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { stateDir } = settings
  const there = yield* Effect.orElseSucceed(fs.readDirectory(stateDir), (): ReadonlyArray<string> => [])
  const compiled = compiledDir((yield* Environment).variables)
  const wanted = [
    ...names.flatMap(([kind, all]) => all.map((name) => [kind, path.join(stateDir, name)] as const)),
    ...(compiled === undefined ? [] : [["compiled code", compiled] as const]),
    ...[...stateNames, ...there.filter(isDraft)].map((name) => ["state", path.join(stateDir, name)] as const)
  ]
  const [ofAgents, ofPlugins, ofManager, ofShells, own] = yield* Effect.all(
    [
      hooks(settings, projects),
      plugins(settings),
      services(),
      completions(),
      Effect.forEach(wanted, ([kind, file]) => ownTrace(kind, file), together)
    ],
    together
  )
  const all: ReadonlyArray<
    Trace<
      Needs<typeof ofAgents> | Needs<typeof ofPlugins> | Needs<typeof ofManager> | Needs<typeof ofShells> | TrustedFiles
    >
  > = [...ofAgents, ...ofPlugins, ...ofManager, ...ofShells, ...own.flatMap(Option.toArray)]
  return all
})
