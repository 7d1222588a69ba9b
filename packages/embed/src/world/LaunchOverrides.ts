import { initial, Launcher, type ResolvedSettings, type Watch } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { remark } from "../Remark.ts"
import { Installation } from "./Installation.ts"
import { layerLaunches } from "./LaunchLayers.ts"
import type { LaunchOverrides } from "./World.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

const lost = "the command of this watch is lost: the configured agent command is used"

/** Returns a watch's first launch, as its file keeps it. `None`: there was none, or its file is lost. */
export const firstLaunchOf = Effect.fn("firstLaunchOf")(function* (
  settings: ResolvedSettings,
  { firstLaunch }: Pick<Watch, "firstLaunch">
) {
  if (firstLaunch === undefined) return Option.none()
  const { digest, launchId } = firstLaunch
  return yield* Effect.option(Launcher.use((launcher) => launcher.kept(launchId, digest))).pipe(
    Effect.provide(layerLaunches(settings))
  )
})

/**
 * Returns the program and the flags that `souffleur run` was given, and what it has say that the work is done, for a
 * watch to resume. They are in its first launch file.
 */
export const launchOverridesOf = Effect.fn("launchOverridesOf")(function* (
  settings: ResolvedSettings,
  known: Option.Option<NamedWatch>
) {
  const { firstLaunch, kind } = Option.match(known, { onNone: () => initial, onSome: ({ watch }) => watch })
  if (kind === "command" || firstLaunch === undefined) return {}
  const installation = yield* Installation
  const first = yield* firstLaunchOf(settings, { firstLaunch })
  const agent = Option.flatMap(first, ({ command }) => installation.agent.ofLaunch(command, firstLaunch.sessionId))
  if (Option.isNone(agent)) yield* remark("warning", lost)
  const until = Option.getOrUndefined(first)?.until
  return {
    ...(Option.isNone(agent) ? {} : { agent: agent.value }),
    ...(until === undefined ? {} : { until })
  } satisfies LaunchOverrides
})
