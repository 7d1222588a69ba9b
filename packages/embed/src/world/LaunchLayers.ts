import { type BadSetting, type Launcher, type ResolvedSettings, Settings } from "@souffleur/domain"
import { Launcher as HostLauncher, TrustedFiles } from "@souffleur/node"
import { Effect, Layer } from "effect"
import { Installation } from "./Installation.ts"
import { layerHost } from "./StoreLayers.ts"

/** The terminals for launches, the best first. */
export type Terminals = Launcher["Service"]["terminals"]

/** The launches of a state folder, in these terminals. Fails with `BadSetting` where none can be used. */
export const layerLauncher = (
  settings: ResolvedSettings,
  terminals: Effect.Effect<Terminals, BadSetting, Installation>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { launcher, launchLine, variables } = yield* Installation
      if (launcher !== undefined) return launcher(settings)
      yield* TrustedFiles.stateFolder(settings.stateDir)
      return HostLauncher.layer({
        stateDir: settings.stateDir,
        entry: yield* launchLine,
        terminals: yield* terminals,
        variables,
        windowWords: settings.terminalCommand ?? undefined
      })
    })
  )

/** The launches of a state folder, for a command that settles one or starts a short one. It needs no terminal. */
export const layerLaunches = (settings: ResolvedSettings) =>
  layerLauncher(settings, Effect.succeed(["headless"])).pipe(
    Layer.provide(layerHost),
    Layer.merge(Layer.succeed(Settings, settings))
  )
