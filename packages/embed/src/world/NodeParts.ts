import type { Errands, Processes } from "@souffleur/domain"
import type { HostServices } from "@souffleur/node"
import { Roles, type World } from "@souffleur/supervisor"
import { Context, Effect, Layer, Option, Scope } from "effect"
import { startGuardian } from "../watching/GuardianKeeper.ts"
import { goingOn, opening } from "./ConfigTrust.ts"
import { Installation } from "./Installation.ts"
import { launchOverridesOf } from "./LaunchOverrides.ts"
import { Parts } from "./Parts.ts"
import { settingsOf } from "./ReadHere.ts"
import { layerLaunches, layerWatch } from "./World.ts"

type Needs = Errands | HostServices.HostServices | Installation | Processes

/**
 * Makes the parts of each project by its config file and by the {@link Installation}. Agents run on this host, in the
 * terminal around souffleur or without one.
 */
export const layer = (layerRoles: Layer.Layer<Roles, never, World> = Roles.layer): Layer.Layer<Parts, never, Needs> =>
  Layer.effect(
    Parts,
    Effect.gen(function* () {
      const { agent, variables } = yield* Installation
      // The scope of the layer is left out: what a watch opens belongs to the scope of that watch.
      const context = Context.omit(Scope.Scope)(yield* Effect.context<Needs | Scope.Scope>())
      const here = Effect.provideContext(context)
      const built = Layer.succeedContext(context)
      return Parts.of({
        agent,
        variables,
        settings: (project) => here(settingsOf(project)),
        opening: (project) => here(opening(project)),
        goingOn: (known) =>
          Effect.gen(function* () {
            const settings = yield* goingOn(known.watch.project, known.watch.pin)
            return { settings, overrides: yield* launchOverridesOf(settings, Option.some(known)) }
          }).pipe(here),
        layerLaunches: (settings) => Layer.provide(layerLaunches(settings), built),
        startGuardian: (id, revival) => here(startGuardian(id, revival)),
        layerWatch: ({ comms, overrides, project, settings }) =>
          Layer.provide(layerWatch(settings, project, comms, overrides), built),
        layerRoles
      })
    })
  )
