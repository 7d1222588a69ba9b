import * as NodeServices from "@effect/platform-node/NodeServices"
import type { TrustedFiles } from "@souffleur/domain"
import { Layer } from "effect"
import * as Files from "./TrustedFiles.ts"

/** What this host has of Effect's own ports, and the border for files. */
export type HostServices = NodeServices.NodeServices | TrustedFiles

export const layer: Layer.Layer<HostServices> = Layer.provideMerge(Files.layer, NodeServices.layer)
