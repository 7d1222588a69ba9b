import type { ResolvedSettings } from "@souffleur/domain"
import type { AgentPackage, CommitPlace } from "@souffleur/process"
import { commitAt } from "@souffleur/supervisor"
import { Effect } from "effect"
import { agentDirOf } from "../world/AgentLayers.ts"
import { Installation } from "../world/Installation.ts"

/** Says what keeps an agent from committing in a project. `null`: nothing that can be known. */
export const commitProblemOf = Effect.fn("commitProblemOf")(function* (
  kind: AgentPackage,
  settings: ResolvedSettings,
  place: Pick<CommitPlace, "permission" | "project" | "words">
) {
  if (kind.commits === undefined) return null
  const { variables } = yield* Installation
  return yield* kind.commits.problem({ ...place, variables, agentDir: yield* agentDirOf(kind, settings) })
})

/** Returns whether a rule of its own is missing for an agent to commit in a project that is a git repository. */
export const commitsMendable = Effect.fn("commitsMendable")(function* (
  kind: AgentPackage,
  settings: ResolvedSettings,
  place: Pick<CommitPlace, "permission" | "project" | "words">
) {
  const commit = yield* Effect.orElseSucceed(commitAt(place.project), () => "")
  return commit !== "" && (yield* commitProblemOf(kind, settings, place))?.mendable === true
})
