import {
  type AgentKind,
  CommandRefused,
  initial,
  type JobLimits,
  Limited,
  Launcher,
  type ResolvedSettings,
  type Until,
  type Watch
} from "@souffleur/domain"
import { Duration, Effect, Layer, Option } from "effect"
import { remark } from "../Remark.ts"
import { layerAgent, layerAgentFiles, type OwnAgent } from "./AgentLayers.ts"
import { Installation } from "./Installation.ts"
import { layerLaunches } from "./LaunchLayers.ts"
import type { RunOptions } from "../SouffleurOptions.ts"
import type { NamedWatch } from "../watching/FindWatch.ts"

/** The parts of a launch that a watch has in place of the settings. */
export interface LaunchOverrides extends OwnAgent {
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
      new CommandRefused({ message: "until is for an agent: a command says by its exit code that it is done" })
    )
  const words = kind === "command" ? null : (until ?? settings.until)
  if (words !== null) return Effect.succeed({ words, rounds: rounds ?? settings.rounds })
  return isAsked
    ? Effect.fail(new CommandRefused({ message: "rounds count what until finds: name its program too" }))
    : Effect.undefined
}

const bad = (message: string) => Effect.fail(new CommandRefused({ message }))

/**
 * Returns the limits of a new job in the amounts of its log; `null`: it has none. `kind`: its agent; `undefined`: it is
 * a plain command. Fails with `CommandRefused` where a limit is no positive amount, or would never be reached.
 */
export const jobLimitsOf = Effect.fnUntraced(function* (
  { dollars, then = "stop", time, tokens }: NonNullable<RunOptions["limits"]> = {},
  kind: Pick<AgentKind, "recordsDollars" | "title"> | undefined
) {
  const millis =
    time === undefined ? null : Option.getOrElse(Option.map(Duration.fromInput(time), Duration.toMillis), () => 0)
  const cents = dollars === undefined ? null : Math.round(dollars * 100)
  const limits: JobLimits = {
    time: millis === null ? null : Math.round(millis),
    tokens: tokens ?? null,
    dollars: cents,
    then
  }
  const isAmount = (amount: number | null) => amount === null || (Number.isSafeInteger(amount) && amount > 0)
  for (const one of Limited.literals)
    if (!isAmount(limits[one])) return yield* bad(`a limit of ${one} must be more than none, and finite`)
  if (kind === undefined && (tokens ?? dollars) !== undefined)
    return yield* bad("a plain command tells of no tokens and no dollars: limit its time")
  if (dollars !== undefined && kind?.recordsDollars === false)
    return yield* bad(`${kind.title} records no dollars: limit its tokens, or its time`)
  return Limited.literals.every((one) => limits[one] === null) ? null : limits
})

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
  const { firstLaunch, kind, note, phase } = Option.match(known, {
    onNone: () => initial,
    onSome: ({ watch }) => watch
  })
  // The file is forgotten with the end of the watch.
  if (kind === "command" || firstLaunch === undefined || phase === "Exited") return {}
  const installation = yield* Installation
  const first = yield* firstLaunchOf(settings, { firstLaunch })
  const agent = Option.flatMap(first, ({ command }) => installation.agent.ofLaunch(command, firstLaunch.sessionId))
  if (Option.isNone(agent)) yield* remark("warning", lost)
  const until = Option.getOrUndefined(first)?.until
  const given = ({ command: { environment } }: Option.Option.Value<typeof first>) =>
    Object.fromEntries(
      note.environment.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]))
    )
  return {
    ...(Option.isNone(agent) ? {} : { agent: agent.value }),
    ...(until === undefined ? {} : { until }),
    ...(note.environment.length === 0
      ? {}
      : { environment: Option.match(first, { onNone: () => "lost" as const, onSome: given }) })
  } satisfies LaunchOverrides
})

/** The agent of a watch as it was launched, for reading what it printed. */
export const layerAsLaunched = (settings: ResolvedSettings, known: NamedWatch) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // The flags of the launch say whether the user asked for records.
      const { agent }: LaunchOverrides = yield* launchOverridesOf(settings, Option.some(known))
      return Layer.catch(layerAgent(settings, agent === undefined ? {} : { agent }), () => layerAgentFiles(settings))
    })
  )
