import type { Variables } from "@souffleur/domain"
import { Claims, HookFiles, HostServices, Processes, TrustedFiles } from "@souffleur/node"
import { Store } from "@souffleur/eventlog"
import { OwnVariables } from "@souffleur/process"
import { ConfigProvider, Effect, Layer, Path } from "effect"
import type { NodeOptions } from "../SouffleurOptions.ts"
import * as NodeInstallation from "../setup/NodeInstallation.ts"
import * as NodeParts from "./NodeParts.ts"
import { layerDatabase, layerLogs, layerTitles } from "./StoreLayers.ts"

/** The options of souffleur's ports on this host, with all that has a default above. */
export type NodeWorldOptions<E> = NodeOptions<E> & Required<Pick<NodeOptions, "agent" | "environment">>

/** Returns the layer of an app, or else ours. */
const given = <A, E, E2, R>(
  of: Layer.Layer<A, E> | undefined,
  ours: Layer.Layer<A, E2, R>
): Layer.Layer<A, E | E2, R> => of ?? ours

/** The environment of a souffleur, for all that would read this process's own. An app may have several. */
const layerSurroundings = (variables: Variables) => {
  const env = Object.fromEntries(
    Object.entries(variables).filter((one): one is [string, string] => one[1] !== undefined)
  )
  return Layer.merge(Layer.succeed(OwnVariables, env), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
}

/** All ports of souffleur on this host, for every project. */
export const layer = <E>({ claims, processes, roles, ...options }: NodeWorldOptions<E>) => {
  const { environment, sql, stateDir, tablePrefix } = options
  const folder = Layer.effectDiscard(TrustedFiles.stateFolder(stateDir))
  const own = Layer.unwrap(Effect.map(Path.Path, (path) => layerDatabase(path.join(stateDir, "souffleur.db"))))
  const theirs = sql && Layer.provideMerge(Store.layerMigrated({ prefix: tablePrefix }), sql)
  return Layer.mergeAll(
    NodeParts.layer(roles),
    given(claims, Claims.layer()),
    HookFiles.layer(stateDir),
    layerLogs,
    layerTitles({ stateDir })
  ).pipe(
    Layer.provide(given(theirs, own)),
    Layer.provideMerge(folder),
    Layer.provideMerge(Layer.merge(NodeInstallation.layer(options), given(processes, Processes.layer))),
    Layer.provideMerge(HostServices.layerLimited),
    Layer.provideMerge(layerSurroundings(environment))
  )
}
