import { Effect, Layer } from "effect"
import { HubProjection } from "./HubProjection.ts"
import { throughOutages } from "./HubTrouble.ts"

/** The pause between two looks at what arrived. */
const look = "1 second"

/**
 * Folds what arrives, as long as its scope lives. Each hub does so, and they share the work, because a pass continues
 * from wherever another has come to. So a frozen hub holds up no view. A database that is out is asked again.
 */
export const layerProjector: Layer.Layer<never, never, HubProjection> = Layer.effectDiscard(
  HubProjection.use(({ pass }) => {
    const folding = throughOutages({
      fails: "the hub cannot fold events, and tries again",
      works: "the hub folds events again"
    })
    return folding(pass).pipe(
      Effect.tap((count = 0) => (count === 0 ? Effect.sleep(look) : Effect.void)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
