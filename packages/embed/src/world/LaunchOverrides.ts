import { initial, Launcher, type ResolvedSettings } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { remark } from "../Remark.ts"
import { Installation } from "./Installation.ts"
import { type LaunchOverrides, layerLaunches } from "./World.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

const lost = "what this watch was started with is lost: the configured agent command is used"

/**
 * Returns the program and the flags that `souffleur run` was given, for a watch that goes on. They are in its first
 * launch file. A command runs headless, because its exit code is reported there.
 */
export const launchOverridesOf = Effect.fn("launchOverridesOf")(function* (
  settings: ResolvedSettings,
  known: Option.Option<NamedWatch>
) {
  const { firstLaunch, kind } = Option.match(known, { onNone: () => initial, onSome: ({ watch }) => watch })
  if (kind === "command") return { terminal: "headless" } satisfies LaunchOverrides
  if (firstLaunch === undefined) return {}
  const { digest, launchId, sessionId } = firstLaunch
  const installation = yield* Installation
  const file = Launcher.use((launcher) => launcher.kept(launchId, digest))
  const agent = yield* Effect.option(file).pipe(
    Effect.map(Option.flatMap(({ command }) => installation.agent.ofLaunch(command, sessionId))),
    Effect.provide(layerLaunches(settings))
  )
  if (Option.isNone(agent)) yield* remark("warning", lost)
  return Option.match(agent, { onNone: (): LaunchOverrides => ({}), onSome: (agent) => ({ agent }) })
})
