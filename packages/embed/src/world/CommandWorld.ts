import type { Processes, ResolvedSettings } from "@souffleur/domain"
import { HookFiles, type ProcessesUnavailable } from "@souffleur/node"
import { Layer } from "effect"
import { Souffleur } from "../Souffleur.ts"
import { SouffleurLog } from "../SouffleurLog.ts"
import * as NodeParts from "./NodeParts.ts"
import { layerHost, layerStore } from "./StoreLayers.ts"
import { layerClaims } from "./World.ts"

/** The reading part of the service, for a command that needs no more. */
export const layerSouffleurLog = (settings: ResolvedSettings) => Layer.provide(SouffleurLog.layer, layerStore(settings))

type Store = ReturnType<typeof layerStore>

/** The service as the command line is installed, with the store of these settings and the processes of this host. */
export const layerSouffleur = (
  settings: ResolvedSettings
): Layer.Layer<
  Souffleur | Processes | Layer.Success<Store>,
  ProcessesUnavailable | Layer.Error<Store>,
  Exclude<NodeParts.Needs, Processes>
> =>
  Souffleur.layer.pipe(
    Layer.provide([NodeParts.layer(), layerClaims, HookFiles.layer(settings.stateDir)]),
    Layer.provideMerge(Layer.merge(layerStore(settings), layerHost))
  )
