import { Settings } from "@souffleur/domain"
import { addHooked, forgetHooked, type HookedAgent, type HookPlace, hookPlaces } from "@souffleur/embed/internal"
import { Effect, Option } from "effect"
import { errandWords } from "../SmallEntry.ts"

const placesOf = Effect.fnUntraced(function* (kind: HookedAgent, project: string) {
  return yield* hookPlaces(kind, yield* Settings, project)
})

/** Finds where an agent's hooks are, the project's own first. `undefined`: nowhere. */
export const hooksNow = Effect.fnUntraced(function* (kind: HookedAgent, project: string) {
  for (const { file, place } of yield* placesOf(kind, project)) {
    const found = yield* Effect.option(kind.hooks.status(file))
    if (Option.exists(found, ({ programs }) => programs.length > 0)) return place
  }
  return undefined
})

/** Writes an agent's hooks, and returns their file. An agent without a place in the project has the user's. */
export const writeHooks = Effect.fnUntraced(function* (kind: HookedAgent, project: string, wanted: HookPlace) {
  const { stateDir } = yield* Settings
  const places = yield* placesOf(kind, project)
  const { file } = places.find(({ place }) => place === wanted) ?? places[0]!
  yield* addHooked(stateDir, file)
  yield* kind.hooks.install(file, kind.hooks.command({ stateDir, self: yield* errandWords("hook") }))
  return file
})

/** Takes an agent's hooks out of the project's and the user's settings. Returns the files that had them. */
export const removeHooks = Effect.fnUntraced(function* (kind: HookedAgent, project: string) {
  const { stateDir } = yield* Settings
  const files = (yield* placesOf(kind, project)).map(({ file }) => file)
  return yield* Effect.filter(files, (file) =>
    Effect.map(
      Effect.tap(kind.hooks.uninstall(file), () => forgetHooked(stateDir, file)),
      ({ changed }) => changed
    )
  )
})
