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
import { Store } from "@souffleur/eventlog"
import { Effect, Layer, Path } from "effect"
import type { NodeOptions } from "../SouffleurOptions.ts"
import { Installation, NoGuardian } from "./Installation.ts"
import * as NodeParts from "./NodeParts.ts"
import { layerDatabase, layerLogs } from "./StoreLayers.ts"

/** The options of souffleur's ports on this host, with all that has a default above. */
export type NodeWorldOptions<E> = NodeOptions<E> & Required<Pick<NodeOptions, "agent" | "environment">>

const unread = new NoGuardian({
  message:
    "a guardian reads souffleur.db of the state folder, and this log is in another database: leave the guardian or `sql` out"
})

/** Returns the layer of an app, or else ours. */
const given = <A, E, E2, R>(
  of: Layer.Layer<A, E> | undefined,
  ours: Layer.Layer<A, E2, R>
): Layer.Layer<A, E | E2, R> => of ?? ours

/** All ports of souffleur on this host, for every project. */
export const layer = <E>({
  agent,
  claims,
  comms,
  environment,
  launcher,
  notices,
  processes,
  roles,
  settings = {},
  sql,
  stateDir
}: NodeWorldOptions<E>) => {
  const installation = Layer.succeed(Installation, {
    agent,
    variables: { ...environment, SOUFFLEUR_STATE_DIR: stateDir },
    values: settings,
    launchLine: Effect.sync(launchLine),
    guardianLine: sql === undefined ? Effect.sync(guardianLine) : Effect.fail(unread),
    detachLine: Effect.sync(detachLine),
    noticeLine: Effect.sync(() => programBeside(import.meta.url, "../notice")),
    platform: process.platform,
    ...(notices === undefined ? {} : { notices }),
    ...(launcher === undefined ? {} : { launcher }),
    ...(comms === undefined ? {} : { comms })
  })
  const errands = ErrandProcess.layer({ line: programBeside(import.meta.url, "../errand") })
  const folder = Layer.effectDiscard(TrustedFiles.stateFolder(stateDir))
  const own = Layer.unwrap(Effect.map(Path.Path, (path) => layerDatabase(path.join(stateDir, "souffleur.db"))))
  const theirs = sql && Layer.provideMerge(Layer.effectDiscard(Store.migrated), sql)
  return Layer.mergeAll(
    NodeParts.layer(roles),
    given(claims, Claims.layer()),
    HookFiles.layer(stateDir),
    layerLogs
  ).pipe(
    Layer.provide(given(theirs, own)),
    Layer.provideMerge(folder),
    Layer.provideMerge(Layer.mergeAll(installation, errands, given(processes, Processes.layer))),
    Layer.provideMerge(HostServices.layer)
  )
}
