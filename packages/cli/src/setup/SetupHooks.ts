import { Settings } from "@souffleur/domain"
import { forgetHooked, type HookedAgent, type HookPlace, hookPlaces, hooksInstalled } from "@souffleur/embed/internal"
import { Effect, Option } from "effect"

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

/** Writes an agent's hooks, and returns their file. */
export const writeHooks = Effect.fnUntraced(function* ({ program }: HookedAgent, project: string, place: HookPlace) {
  return (yield* hooksInstalled({ project, agent: program, place })).path
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
