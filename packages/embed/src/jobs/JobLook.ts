import { Effect, Layer } from "effect"
import { findWatch, type NamedWatch, type WatchName } from "../watching/FindWatch.ts"
import { Parts } from "../world/Parts.ts"

/** Returns a watch, with the layer of its agent's files and its launches. */
export const lookedAt = Effect.fnUntraced(function* (name: WatchName) {
  const { layerLaunches, layerLook, settings } = yield* Parts
  const known = yield* findWatch(name)
  const found = yield* settings(known.watch.project)
  return { known, layer: Layer.merge(layerLook({ settings: found, comms: null }), layerLaunches(found)) }
})

/** Looks at the agent's files and at the launches of a watch. */
export const looking = Effect.fnUntraced(function* <A, E, R>(
  name: WatchName,
  look: (known: NamedWatch) => Effect.Effect<A, E, R>
) {
  const { known, layer } = yield* lookedAt(name)
  return yield* Effect.provide(look(known), layer)
})
