import type { ResolvedSettings, Variables } from "@souffleur/domain"
import {
  Claims,
  detachLine,
  ErrandProcess,
  guardianLine,
  HookFiles,
  HostServices,
  launchLine,
  Processes,
  programBeside,
  TrustedFiles
} from "@souffleur/node"
import type { AgentPackage } from "@souffleur/process"
import type { Roles, World } from "@souffleur/supervisor"
import { Store } from "@souffleur/eventlog"
import { Effect, type FileSystem, Layer, Path } from "effect"
import type { SqlClient } from "effect/sql"
import { Installation, NoGuardian, type NoticesOf } from "./Installation.ts"
import * as NodeParts from "./NodeParts.ts"
import { layerDatabase, layerLogs } from "./StoreLayers.ts"

/** The options of souffleur's ports on this host. */
export interface NodeWorldOptions<E> {
  readonly stateDir: string
  readonly agent: AgentPackage
  readonly environment: Variables
  readonly settings?: Partial<ResolvedSettings>
  readonly sql?: Layer.Layer<SqlClient.SqlClient, E>
  readonly notices?: NoticesOf
  readonly roles?: Layer.Layer<Roles, never, World>
}

const unread = new NoGuardian({
  message:
    "a guardian reads souffleur.db of the state folder, and this log is in another database: leave the guardian or `sql` out"
})

/** All ports of souffleur on this host, for every project. */
export const layer = <E>({ agent, environment, notices, roles, settings = {}, sql, stateDir }: NodeWorldOptions<E>) => {
  const installation = Layer.succeed(Installation, {
    agent,
    variables: { ...environment, SOUFFLEUR_STATE_DIR: stateDir },
    values: settings,
    launchLine: Effect.sync(launchLine),
    guardianLine: sql === undefined ? Effect.sync(guardianLine) : Effect.fail(unread),
    detachLine: Effect.sync(detachLine),
    noticeLine: Effect.sync(() => programBeside(import.meta.url, "../notice")),
    platform: process.platform,
    ...(notices === undefined ? {} : { notices })
  })
  const errands = ErrandProcess.layer({ line: programBeside(import.meta.url, "../errand") })
  const folder = Layer.effectDiscard(TrustedFiles.stateFolder(stateDir))
  const own = Layer.unwrap(Effect.map(Path.Path, (path) => layerDatabase(path.join(stateDir, "souffleur.db"))))
  const database: Layer.Layer<SqlClient.SqlClient, E | Layer.Error<typeof own>, FileSystem.FileSystem | Path.Path> =
    sql === undefined ? own : Layer.provideMerge(Layer.effectDiscard(Store.migrated), sql)
  return Layer.mergeAll(NodeParts.layer(roles), Claims.layer(), HookFiles.layer(stateDir), layerLogs).pipe(
    Layer.provide(database),
    Layer.provideMerge(folder),
    Layer.provideMerge(Layer.mergeAll(installation, errands, Processes.layer)),
    Layer.provideMerge(HostServices.layer)
  )
}
