import {
  Agent,
  type Claims,
  Comms,
  type EventLog,
  type Role,
  Settings,
  untraced,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Beats, type LogError, type Refused } from "@souffleur/eventlog"
import { selfMonitor } from "@souffleur/monitor"
import {
  beginAgain,
  exportProvider,
  continueTurn,
  handover,
  type Provider,
  recovery,
  recoveryCommand,
  restart,
  resumeSession,
  smallHandoff,
  standardCompact,
  startOver,
  type StepServices
} from "@souffleur/recovery"
import { chosenAgent, lookAsWatched } from "@souffleur/process"
import { watcher } from "@souffleur/watcher"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { bootstrap } from "./Bootstrap.ts"
import { limitKeeper } from "./LimitKeeper.ts"
import { soloComms } from "./solo/SoloProgress.ts"

/** All services that the roles need. */
export type World = Beats | Claims | EventLog | StepServices

/** The providers in their order (spec: behaviour#providers). */
export const standardProviders = [
  recoveryCommand,
  beginAgain,
  resumeSession,
  continueTurn,
  handover,
  exportProvider,
  startOver,
  standardCompact,
  smallHandoff,
  restart
] satisfies ReadonlyArray<Provider<World>>

/** Beats while a watch is in standby and has no watcher. Without the beats a guardian would replace this souffleur. */
const standingBy = Effect.fnUntraced(function* ({ id }: WatchRef, by: Role) {
  const beats = yield* Beats
  const { watcherInterval } = yield* Settings
  const beat = Effect.flatMap(Clock.currentTimeMillis, (at) => beats.beat(id, { by, at }))
  yield* Effect.repeat(untraced(beat), Schedule.spaced(watcherInterval))
})

/** Runs a role. A role ends with its report in the log, and fails only when the log does. */
export class Roles extends Context.Service<
  Roles,
  { readonly run: (role: Role, watch: Watch, ref: WatchRef) => Effect.Effect<void, Refused | LogError> }
>()("@souffleur/supervisor/Roles") {
  /**
   * Makes the roles with these providers of recovery, in the order in which they are tried (docs/providers.md).
   *
   * @example
   * ```ts
   * import { exportProvider, standardCompact } from "@souffleur/recovery"
   * import { Roles } from "@souffleur/supervisor"
   *
   * // Compacts in place first, and exports where that fails.
   * const roles = Roles.layerWith([standardCompact, exportProvider])
   * ```
   */
  static readonly layerWith = <R>(providers: ReadonlyArray<Provider<R>>): Layer.Layer<Roles, never, World | R> =>
    Layer.effect(
      Roles,
      Effect.gen(function* () {
        const world = yield* Effect.context<World | R>()
        const run = (role: Role, watch: Watch, ref: WatchRef): Effect.Effect<void, Refused | LogError, World | R> => {
          switch (role.slice(0, role.indexOf("/"))) {
            case "bootstrap":
              return Effect.asVoid(bootstrap(ref))
            case "standby":
              return standingBy(ref, role)
            case "watcher":
              return watcher(ref, watch)
            case "monitor":
              return selfMonitor(ref, watch)
            case "limits":
              return limitKeeper(ref)
            default:
              return recovery(ref, watch, providers)
          }
        }
        const solo = Effect.fnUntraced(function* (role: Role, watch: Watch, ref: WatchRef) {
          return yield* Effect.provideService(run(role, watch, ref), Comms, yield* soloComms(watch))
        })
        const agent = Context.get(world, Agent)
        return Roles.of({
          run: (role, watch, ref) =>
            lookAsWatched(watch).pipe(
              Effect.andThen(watch.comms === null ? solo(role, watch, ref) : run(role, watch, ref)),
              Effect.provideService(Agent, chosenAgent(agent, watch.agent)),
              Effect.provideContext(world)
            )
        })
      })
    )

  static readonly layer = Roles.layerWith(standardProviders)
}
