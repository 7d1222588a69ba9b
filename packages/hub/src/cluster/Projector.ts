import { Effect, Layer } from "effect"
import { HubProjection } from "../HubProjection.ts"
import { throughOutages } from "../HubTrouble.ts"
import { layerInOneHub, type LayerOfPart } from "./HubCluster.ts"

/** The pause between two looks at what arrived. */
const look = "1 second"

/** Folds what arrives, in one hub at a time. A database that is out is asked again. */
export const layerProjector: LayerOfPart = Layer.unwrap(
  HubProjection.useSync(({ pass }) => {
    const folding = throughOutages({
      fails: "the hub cannot fold events, and tries again",
      works: "the hub folds events again"
    })
    return layerInOneHub(
      "projector",
      folding(pass).pipe(
        Effect.tap((count = 0) => (count === 0 ? Effect.sleep(look) : Effect.void)),
        Effect.forever
      )
    )
  })
)
