import { Settings } from "@souffleur/domain"
import { Effect, Option, Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { errandWords } from "../SmallEntry.ts"
import { addHooked, forgetHooked } from "../uninstall/HookedFiles.ts"

/** The files that may have the agent's hooks. */
const hookFiles = Effect.fnUntraced(function* (project: string) {
  const path = yield* Path.Path
  const { agentDir } = yield* Settings
  const { ofProject, ofUser } = agentKind.hooks
  return { project: path.join(project, ...ofProject), user: path.join(agentDir, ...ofUser) }
})

/** Finds where the agent's hooks are, the project's own first. `undefined`: nowhere. */
export const hooksNow = Effect.fnUntraced(function* (project: string) {
  const files = yield* hookFiles(project)
  for (const place of ["project", "user"] as const) {
    const found = yield* Effect.option(agentKind.hooks.status(files[place]))
    if (Option.exists(found, ({ programs }) => programs.length > 0)) return place
  }
  return undefined
})

/** Writes the agent's hooks, and returns their file. */
export const writeHooks = Effect.fnUntraced(function* (project: string, place: "project" | "user") {
  const { stateDir } = yield* Settings
  const { command, install } = agentKind.hooks
  const file = (yield* hookFiles(project))[place]
  yield* addHooked(stateDir, file)
  yield* install(file, command({ stateDir, self: yield* errandWords("hook") }))
  return file
})

/** Takes the hooks out of the project's and the user's settings. Returns the files that had them. */
export const removeHooks = Effect.fnUntraced(function* (project: string) {
  const { stateDir } = yield* Settings
  const { uninstall } = agentKind.hooks
  return yield* Effect.filter(Object.values(yield* hookFiles(project)), (file) =>
    Effect.map(
      Effect.tap(uninstall(file), () => forgetHooked(stateDir, file)),
      ({ changed }) => changed
    )
  )
})
