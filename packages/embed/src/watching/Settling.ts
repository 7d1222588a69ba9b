import type { ResolvedSettings } from "@souffleur/domain"
import { Effect } from "effect"
import { spansOf } from "../trace/OwnSpans.ts"
import { Parts } from "../world/Parts.ts"
import { findWatch, type WatchName } from "./FindWatch.ts"

/** Does an act of an operator, with the launches of the watch's project. */
export const settling = Effect.fnUntraced(function* <A, E, R>(
  name: WatchName,
  act: (id: string, settings: ResolvedSettings) => Effect.Effect<A, E, R>
) {
  const parts = yield* Parts
  const { id, watch } = yield* findWatch(name)
  return yield* Effect.gen(function* () {
    const settings = yield* parts.settings(watch.project)
    return yield* Effect.provide(act(id, settings), parts.layerLaunches(settings))
  }).pipe(spansOf({ project: watch.project, watch: id }))
})
