import type { ResolvedSettings } from "@souffleur/domain"
import { Effect, Path } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/**
 * Checks the hooks in the settings of the project and of the user: whether they can run, and write here. Returns
 * nothing where there are no hooks.
 */
export const hooksCheck = Effect.fn("Doctor.hooksCheck")(function* (
  { agentDir, stateDir }: ResolvedSettings,
  project: string
) {
  const path = yield* Path.Path
  const { ofProject, ofUser, status } = agentKind.hooks
  const places = [
    { file: path.join(project, ...ofProject), again: `souffleur hooks install --project-dir ${project}` },
    { file: path.join(agentDir, ...ofUser), again: "souffleur hooks install --user" }
  ]
  const look = Effect.fnUntraced(
    function* ({ again, file }: (typeof places)[number]) {
      const { absent, events, missing, programs } = yield* status(file)
      const none: ReadonlyArray<Finding> = []
      if (events.length === 0) return none
      if (missing.length > 0)
        return [wrong("hooks", `those in ${file} run ${missing.join(", ")}, which is not there`, again)]
      const elsewhere = programs.find((program) => program.stateDir !== stateDir)
      if (elsewhere !== undefined)
        return [note("hooks", `those in ${file} write to ${elsewhere.stateDir}: not read here`, again)]
      if (absent.length > 0) return [note("hooks", `those in ${file} are not all: ${absent.join(", ")}`, again)]
      return [passed("hooks", `installed in ${file}`)]
    },
    (found, { file }) =>
      Effect.catch(found, (error) =>
        Effect.succeed([
          note("hooks", error._tag === "HookSettingsUnusable" ? `${file} ${error.problem}` : error.message)
        ])
      )
  )
  return (yield* Effect.forEach(places, look)).flat()
})
