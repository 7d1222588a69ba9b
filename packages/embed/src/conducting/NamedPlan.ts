import type { ResolvedSettings } from "@souffleur/domain"
import { type LoadedPlan, loadPlan, type NamedRun, needsTrees, PlanInvalid, runOfPlan } from "@souffleur/plan"
import { Effect, FileSystem, Option, Path, Runtime, Schema } from "effect"
import { refuseMissing } from "../jobs/ProjectMissing.ts"
import type { PlanOrder } from "../SouffleurOptions.ts"
import { Parts } from "../world/Parts.ts"
import { castRoles } from "./RoleAgent.ts"

/** The state file of a run cannot be where it was asked for. */
export class StateMisplaced extends Schema.TaggedError<StateMisplaced>()("StateMisplaced", { problem: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `the state file: ${this.problem}`
  }
}

/** A plan that is read, with its run. */
export interface NamedPlan {
  readonly loaded: LoadedPlan
  readonly statePath: string
  /** The run to resume; `undefined` for a new one. */
  readonly known: NamedRun | undefined
}

/** Returns the path of the state file. Fails with `StateMisplaced` where it cannot be there. */
const stateFileOf = Effect.fnUntraced(function* ({ project, state }: PlanOrder, { path: plan }: LoadedPlan) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = state ?? path.join(project, "state.json")
  if (!(yield* Effect.orElseSucceed(fs.exists(path.dirname(file)), () => false)))
    return yield* new StateMisplaced({ problem: `there is no folder ${path.dirname(file)}` })
  if (file === plan) return yield* new StateMisplaced({ problem: "it cannot be the plan" })
  return file
})

/**
 * Reads a plan and finds its run. Fails with `PlanInvalid`, `ProjectMissing` or `StateMisplaced`. It writes nothing.
 */
export const namedPlan = Effect.fn("namedPlan")(function* (order: PlanOrder) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { plan, project } = order
  yield* refuseMissing(project)
  const named = path.resolve(project, plan)
  // A plan is the same by any path to its file.
  const loaded = yield* loadPlan(yield* Effect.orElseSucceed(fs.realPath(named), () => named), project)
  if (order.keepsGoing === true && loaded.plan.worktrees !== true)
    return yield* new PlanInvalid({ path: loaded.path, problems: [`to keep going, ${needsTrees}`] })
  if ((order.parallel ?? 1) > 1 && loaded.plan.worktrees !== true)
    return yield* new PlanInvalid({ path: loaded.path, problems: [`for --parallel, ${needsTrees}`] })
  const statePath = yield* stateFileOf(order, loaded)
  const known = Option.getOrUndefined(yield* runOfPlan(project, loaded.path))
  return { loaded, statePath, known } satisfies NamedPlan
})

/** Casts the roles of a plan by settings. Fails with `RoleUnfit` where an agent cannot do its part. */
export const castOf =
  ({ known, loaded }: NamedPlan, order: PlanOrder) =>
  (settings: ResolvedSettings) =>
    Effect.gen(function* () {
      const { agent, layerAgent } = yield* Parts
      const casting = castRoles(agent, settings, loaded.plan, { ...order, run: known?.run })
      return yield* Effect.provide(casting, layerAgent(settings))
    })
