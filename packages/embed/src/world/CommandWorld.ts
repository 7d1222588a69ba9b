import type { EventLog, Processes, ResolvedSettings } from "@souffleur/domain"
import type { Beats, Cursor, Offspring } from "@souffleur/eventlog"
import { HookFiles, type ProcessesUnavailable } from "@souffleur/node"
import type { RunLog } from "@souffleur/plan"
import type { TrustedFiles } from "@souffleur/process"
import { type FileSystem, Layer, type Path } from "effect"
import { Souffleur } from "../Souffleur.ts"
import { SouffleurLog } from "../SouffleurLog.ts"
import * as NodeParts from "./NodeParts.ts"
import { layerHost, layerStore, layerStoreReading } from "./StoreLayers.ts"
import { layerClaims } from "./World.ts"

/** The reading part of the service, for a command that needs no more. */
export const layerSouffleurLog = (settings: ResolvedSettings) => Layer.provide(SouffleurLog.layer, layerStore(settings))

type Stored = Beats | Cursor | EventLog | Offspring | RunLog

type Over<A, E> = Layer.Layer<Souffleur | Processes | A, ProcessesUnavailable | E, Exclude<NodeParts.Needs, Processes>>

/** The service over a store, with the processes of this host. */
const layerOver = <A, E>(
  { stateDir }: ResolvedSettings,
  store: Layer.Layer<A | Stored, E, FileSystem.FileSystem | Path.Path | TrustedFiles>
): Over<A | Stored, E> =>
  Souffleur.layer.pipe(
    Layer.provide([NodeParts.layer(), layerClaims, HookFiles.layer(stateDir)]),
    Layer.provideMerge(Layer.merge(store, layerHost))
  )

/** The service as the command line is installed. */
export const layerSouffleur = (settings: ResolvedSettings) => layerOver(settings, layerStore(settings))

/** The service for a preview. It makes no state folder, and the log is opened to be read alone. */
export const layerSouffleurReading = (settings: ResolvedSettings) => layerOver(settings, layerStoreReading(settings))
