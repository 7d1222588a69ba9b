import { type AgentCommand, initial, Launcher, type ResolvedSettings, type Watch } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { remark } from "../Remark.ts"
import { Installation } from "./Installation.ts"
import { layerLaunches } from "./LaunchLayers.ts"
import type { LaunchOverrides } from "./World.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

const lost = "the command of this watch is lost: the configured agent command is used"

/** Returns the command of a watch's first launch, as its file keeps it. `None`: there was none, or its file is lost. */
export const firstCommandOf = Effect.fn("firstCommandOf")(function* (
  settings: ResolvedSettings,
  { firstLaunch }: Pick<Watch, "firstLaunch">
) {
  if (firstLaunch === undefined) return Option.none<AgentCommand>()
  const { digest, launchId } = firstLaunch
  return yield* Effect.option(Launcher.use((launcher) => launcher.kept(launchId, digest))).pipe(
    Effect.map(Option.map(({ command }) => command)),
    Effect.provide(layerLaunches(settings))
  )
})

/**
 * Returns the program and the flags that `souffleur run` was given, for a watch to resume. They are in its first launch
 * file.
 */
export const launchOverridesOf = Effect.fn("launchOverridesOf")(function* (
  settings: ResolvedSettings,
  known: Option.Option<NamedWatch>
) {
  const { firstLaunch, kind } = Option.match(known, { onNone: () => initial, onSome: ({ watch }) => watch })
  if (kind === "command" || firstLaunch === undefined) return {}
  const installation = yield* Installation
  const agent = Option.flatMap(yield* firstCommandOf(settings, { firstLaunch }), (command) =>
    installation.agent.ofLaunch(command, firstLaunch.sessionId)
  )
  if (Option.isNone(agent)) yield* remark("warning", lost)
  return Option.match(agent, { onNone: (): LaunchOverrides => ({}), onSome: (agent) => ({ agent }) })
})
