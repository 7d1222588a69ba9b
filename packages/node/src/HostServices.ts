import * as NodeServices from "@effect/platform-node/NodeServices"
import type { Errands } from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import { Layer } from "effect"
import * as Programs from "./launch/HostPrograms.ts"
import * as Files from "./files/HostTrustedFiles.ts"
import * as LimitedFiles from "./files/LimitedFiles.ts"
import * as ErrandProcess from "./own/ErrandProcess.ts"
import { rowsLine } from "./own/OwnPrograms.ts"

/** Services of this host: Effect's own ports, and the borders for files, programs and databases of agents. */
export type HostServices = Errands | NodeServices.NodeServices | TrustedFiles

/** The process that reads databases of agents, for a program that brings no other. */
const layerErrands = ErrandProcess.layer({ line: rowsLine })

/**
 * Provides {@link HostServices}. A program of `PATH` runs by its absolute path, so no file of a project runs in its
 * place.
 *
 * @example
 * ```ts
 * import { HostServices } from "@souffleur/node"
 * import { Effect, FileSystem } from "effect"
 *
 * const plan = FileSystem.FileSystem.use((fs) => fs.readFileString("/srv/job/PLAN.md")).pipe(
 *   Effect.provide(HostServices.layer)
 * )
 * ```
 */
export const layer: Layer.Layer<HostServices> = Layer.mergeAll(Files.layer, Programs.layer, layerErrands).pipe(
  Layer.provideMerge(NodeServices.layer)
)

/** The same services, where a read of a file that hangs ends after its time (spec: behaviour#reads-that-hang). */
export const layerLimited: Layer.Layer<HostServices> = Layer.mergeAll(
  Files.layerLimited,
  LimitedFiles.layer,
  Programs.layer,
  layerErrands
).pipe(Layer.provideMerge(NodeServices.layer))
