import { type BadSetting, type ResolvedSettings, Settings, type Terminal } from "@souffleur/domain"
import { Launcher as HostLauncher, TrustedFiles } from "@souffleur/node"
import { Effect, Layer } from "effect"
import { Installation } from "./Installation.ts"
import { layerHost } from "./StoreLayers.ts"

/** The launches of a state folder, in a terminal. Fails with `BadSetting` where that cannot be used. */
export const layerLauncher = (
  settings: ResolvedSettings,
  terminal: Effect.Effect<Terminal, BadSetting, Installation>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { launcher, launchLine } = yield* Installation
      if (launcher !== undefined) return launcher(settings)
      yield* TrustedFiles.stateFolder(settings.stateDir)
      return HostLauncher.layer({
        stateDir: settings.stateDir,
        entry: yield* launchLine,
        terminal: yield* terminal
      })
    })
  )

/** The launches of a state folder, for a command that settles one or starts a short one. It needs no terminal. */
export const layerLaunches = (settings: ResolvedSettings) =>
  layerLauncher(settings, Effect.succeed("headless")).pipe(
    Layer.provide(layerHost),
    Layer.merge(Layer.succeed(Settings, settings))
  )
