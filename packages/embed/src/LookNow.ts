import type { Watch } from "@souffleur/domain"
import type { NamedRun } from "@souffleur/plan"
import { Effect, Layer } from "effect"
import { planStatus } from "./conducting/PlanStatus.ts"
import type { NamedWatch } from "./watching/FindWatch.ts"
import { liveSessions } from "./watching/LiveSessions.ts"
import { overview } from "./watching/Overview.ts"
import { type TaskNow, tasksNow } from "./report/TasksNow.ts"
import { watchStatus } from "./watching/WatchStatus.ts"
import { Parts } from "./world/Parts.ts"

/** Lists the live sessions of this user, by the settings of a project. */
export const sessions = Effect.fn("Souffleur.sessions")(function* (project: string) {
  const { layerLook, settings } = yield* Parts
  return yield* Effect.provide(liveSessions(), layerLook({ settings: yield* settings(project), comms: null }))
})

/** Lists the agents that no watch follows, and the living watches and runs. */
export const overviewOf = Effect.fn("Souffleur.overviewOf")(function* (project: string) {
  const { layerLook, settings } = yield* Parts
  return yield* Effect.provide(overview(project), layerLook({ settings: yield* settings(project), comms: null }))
})

/** Lists the tasks of a watch, by the settings of its project. */
export const tasksOfWatch = Effect.fn("Souffleur.tasksOfWatch")(
  function* (watch: Watch) {
    const { layerLook, settings } = yield* Parts
    const look = layerLook({ settings: yield* settings(watch.project), comms: watch.comms })
    return yield* Effect.provide(tasksNow(watch), look)
  },
  // A report tells what it can.
  Effect.orElseSucceed((): ReadonlyArray<TaskNow> => [])
)

/** Looks at a watch, by the settings of its project. */
export const statusNow = Effect.fn("Souffleur.statusNow")(function* (named: NamedWatch) {
  const { layerLaunches, layerLook, settings } = yield* Parts
  const { comms, project } = named.watch
  const found = yield* settings(project)
  const look = Layer.merge(layerLook({ settings: found, comms }), layerLaunches(found))
  return yield* watchStatus(named, { settings: found, look })
})

/** Looks at a run, by the settings of its project. */
export const statusOfRun = Effect.fn("Souffleur.statusOfRun")(function* (named: NamedRun) {
  const { layerLaunches, layerLook, settings } = yield* Parts
  const found = yield* settings(named.run.project)
  return yield* Effect.provide(planStatus(named), [layerLaunches(found), layerLook({ settings: found, comms: null })])
})
