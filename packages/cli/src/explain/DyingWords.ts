import type { ResolvedSettings, Watch } from "@souffleur/domain"
import { lastWords, lookAsWatched } from "@souffleur/process"
import { layerAgentFiles, layerLaunches } from "@souffleur/embed/internal"
import { Effect } from "effect"

/**
 * Returns the last words of a Conductor that has ended, or died. They are for a screen alone.
 * `now`: as in `lastWords`.
 */
export const dyingWords = Effect.fn("dyingWords")(function* (watch: Watch, settings: ResolvedSettings, now?: Watch) {
  return yield* Effect.provide(Effect.andThen(lookAsWatched(watch), lastWords(watch, now)), [
    layerAgentFiles(settings),
    layerLaunches(settings)
  ])
})
