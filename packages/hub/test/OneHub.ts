import { layerRunner } from "@souffleur/hub"
import { Layer } from "effect"
import { MessageStorage, RunnerStorage } from "effect/cluster"

/** The cluster of one hub, in memory. */
export const layerOneHub = layerRunner(
  { host: "here", port: 7434, parts: ["sentinel", "retention"] },
  Layer.merge(RunnerStorage.layerMemory, MessageStorage.layerMemory)
)
