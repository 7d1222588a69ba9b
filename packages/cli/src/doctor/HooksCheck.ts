import type { ResolvedSettings } from "@souffleur/domain"
import { Effect } from "effect"
import { hookedAgents, type HookPlace, hookPlaces, hooksTyped } from "../agent/HookPlaces.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/**
 * Checks the hooks of each agent, in the settings of the project and of the user. They should run, and write here.
 * Returns nothing where there are no hooks.
 */
export const hooksCheck = Effect.fn("Doctor.hooksCheck")(function* (settings: ResolvedSettings, project: string) {
  const look = Effect.fnUntraced(
    function* (
      kind: (typeof hookedAgents)[number],
      { file, place }: { readonly file: string; readonly place: HookPlace }
    ) {
      const { absent, events, missing, programs } = yield* kind.hooks.status(file)
      const again = place === "project" ? `${hooksTyped(kind)} --project-dir ${project}` : `${hooksTyped(kind)} --user`
      const none: ReadonlyArray<Finding> = []
      if (events.length === 0) return none
      if (missing.length > 0)
        return [wrong("hooks", `those in ${file} run ${missing.join(", ")}, which is not there`, again)]
      const elsewhere = programs.find((program) => program.stateDir !== settings.stateDir)
      if (elsewhere !== undefined)
        return [note("hooks", `those in ${file} write to ${elsewhere.stateDir}: not read here`, again)]
      if (absent.length > 0) return [note("hooks", `those in ${file} are not all: ${absent.join(", ")}`, again)]
      const { onlyIf } = kind.hooks
      return [passed("hooks", `installed in ${file}`), ...(onlyIf === undefined ? [] : [note("hooks", onlyIf)])]
    },
    (found, _, { file }) =>
      Effect.catch(found, (error) =>
        Effect.succeed([
          note("hooks", error._tag === "HookSettingsUnusable" ? `${file} ${error.problem}` : error.message)
        ])
      )
  )
  const found = yield* Effect.forEach(hookedAgents, (kind) =>
    Effect.flatMap(
      hookPlaces(kind, settings, project),
      Effect.forEach((place) => look(kind, place))
    )
  )
  return found.flat(2)
})
