import {
  type AgentProgram,
  CommandRefused,
  initial,
  Launcher,
  type ResolvedSettings,
  type Until,
  type Watch
} from "@souffleur/domain"
import { Effect, Layer, Option } from "effect"
import { remark } from "../Remark.ts"
import { layerAgent, layerAgentFiles } from "./AgentLayers.ts"
import { Installation } from "./Installation.ts"
import { layerLaunches } from "./LaunchLayers.ts"
import type { RunOptions } from "../SouffleurOptions.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

/** The parts of a launch that a watch has in place of the settings. */
export interface LaunchOverrides {
  readonly agent?: AgentProgram
  readonly until?: Until
}

const lost = "the command of this watch is lost: the configured agent command is used"

/**
 * Returns what says that the work of a new watch is done, by its caller or else by the settings. Fails with
 * `CommandRefused` where nothing is to be said, as of a plain command, and where rounds are counted of no program.
 */
export const untilOf = (
  { rounds, until }: Pick<RunOptions, "rounds" | "until">,
  settings: Pick<ResolvedSettings, "rounds" | "until">,
  kind: Watch["kind"]
): Effect.Effect<Until | undefined, CommandRefused> => {
  const isAsked = until !== undefined || rounds !== undefined
  if (kind === "command" && isAsked)
    return Effect.fail(
      new CommandRefused({ message: "--until is for an agent: a command says by its exit code that it is done" })
    )
  const words = kind === "command" ? null : (until ?? settings.until)
  if (words !== null) return Effect.succeed({ words, rounds: rounds ?? settings.rounds })
  return isAsked
    ? Effect.fail(new CommandRefused({ message: "--rounds counts what --until finds: name its program too" }))
    : Effect.undefined
}

/** Returns the settings of a watch that has some things in their place. */
export const settingsUnder = (settings: ResolvedSettings, { until }: LaunchOverrides): ResolvedSettings =>
  until === undefined ? settings : { ...settings, until: until.words, rounds: until.rounds }

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

/** The agent of a watch as it was launched, for reading what it printed. */
export const layerAsLaunched = (settings: ResolvedSettings, known: NamedWatch) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // The flags of the launch say whether the user asked for records. They are forgotten with the end of the watch.
      const { agent }: LaunchOverrides =
        known.watch.phase === "Exited" ? {} : yield* launchOverridesOf(settings, Option.some(known))
      return Layer.catch(layerAgent(settings, agent), () => layerAgentFiles(settings))
    })
  )
