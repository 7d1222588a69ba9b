import { initial, Launcher, type ResolvedSettings } from "@souffleur/domain"
import { Console, Effect, Option } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { type LaunchOverrides, launches } from "./App.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

const lost = "warning: what this watch was started with is lost: the configured agent command is used"

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
  const file = Launcher.use((launcher) => launcher.kept(launchId, digest))
  const agent = yield* Effect.option(file).pipe(
    Effect.map(Option.flatMap(({ command }) => agentKind.ofLaunch(command, sessionId))),
    Effect.provide(launches(settings))
  )
  if (Option.isNone(agent)) yield* Console.error(lost)
  return Option.match(agent, { onNone: (): LaunchOverrides => ({}), onSome: (agent) => ({ agent }) })
})
