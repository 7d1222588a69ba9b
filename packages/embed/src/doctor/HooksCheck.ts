import type { ResolvedSettings } from "@souffleur/domain"
import { Effect } from "effect"
import { type HookedAgent, type HookPlace, hookPlaces } from "../setup/HookPlaces.ts"
import { hookedAgents, hooksTyped } from "../setup/HookedAgents.ts"
import { Installation } from "../world/Installation.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/**
 * Checks the hooks of each agent, in the settings of the project and of the user. They should run, and write here.
 * Returns nothing where there are no hooks.
 */
export const hooksCheck = Effect.fn("Doctor.hooksCheck")(function* (settings: ResolvedSettings, project: string) {
  const { agent } = yield* Installation
  const look = Effect.fnUntraced(
    function* (kind: HookedAgent, { file, place }: { readonly file: string; readonly place: HookPlace }) {
      const { absent, events, missing, off, programs, unapproved } = yield* kind.hooks.status(file)
      const again = hooksTyped(agent, kind, ...(place === "project" ? ["--project-dir", project] : ["--user"]))
      const none: ReadonlyArray<Finding> = []
      if (events.length === 0) return none
      if (missing.length > 0)
        return [wrong("hooks", `those in ${file} run ${missing.join(", ")}, which is not there`, again)]
      const elsewhere = programs.find((program) => program.stateDir !== settings.stateDir)
      if (elsewhere !== undefined)
        return [note("hooks", `those in ${file} write to ${elsewhere.stateDir}: not read here`, again)]
      if (absent.length > 0) return [note("hooks", `those in ${file} are not all: ${absent.join(", ")}`, again)]
      if (off !== null) return [note("hooks", `those in ${file} do not run: it has ${off}`)]
      const { onlyIf } = kind.hooks
      const watching = programs.some((program) => program.watch) ? ", and have each session watched" : ""
      const installed = passed("hooks", `installed in ${file}${watching}`)
      if (onlyIf === undefined || unapproved?.length === 0) return [installed]
      const left = unapproved === undefined ? "" : `, and leaves out ${unapproved.join(", ")}`
      return [installed, note("hooks", `${onlyIf}${left}`)]
    },
    (found, _, { file }) =>
      Effect.catch(found, (error) =>
        Effect.succeed([
          note("hooks", error._tag === "AgentSettingsUnusable" ? `${file} ${error.problem}` : error.message)
        ])
      )
  )
  const found = yield* Effect.forEach(hookedAgents(agent), (kind) =>
    Effect.flatMap(
      hookPlaces(kind, settings, project),
      Effect.forEach((place) => look(kind, place))
    )
  )
  return found.flat(2)
})
