import * as NodeServices from "@effect/platform-node/NodeServices"
import type { TrustedFiles } from "@souffleur/process"
import { Layer } from "effect"
import * as Programs from "./launch/HostPrograms.ts"
import * as Files from "./files/HostTrustedFiles.ts"

/** Services of this host: Effect's own ports, and the borders for files and programs. */
export type HostServices = NodeServices.NodeServices | TrustedFiles

export const layer: Layer.Layer<HostServices> = Layer.mergeAll(Files.layer, Programs.layer).pipe(
  Layer.provideMerge(NodeServices.layer)
)
