import { isUnwatched, iso, lower, Permission, type ResolvedSettings, Words } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur, settingsOf } from "@souffleur/embed/internal"
import { Console, Duration, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { personOnly, signOfAgent } from "../person/PersonOnly.ts"
import { json, namedIn, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Describes the ceilings of use that are set. */
const allowed = ({ maxDollars, maxTime, maxTokens }: ResolvedSettings): string => {
  const set = [
    ...(maxTokens === null ? [] : [`${Words.count(maxTokens)} tokens`]),
    ...(maxDollars === null ? [] : [Words.dollars(Math.round(maxDollars * 100))]),
    ...(maxTime === null ? [] : [Words.duration(Duration.toMillis(maxTime))])
  ]
  return set.length === 0 ? "the ceilings that souffleur itself was started with" : set.join(", ")
}

/** Tries a recovery again that failed closed, or allows as much use again (spec: command-line#watches). */
export const retryCommand = Command.make(
  "retry",
  {
    watch: watchName,
    projectDir,
    ceiling: Flag.Literals("ceiling", Permission.literals).pipe(
      Flag.withDescription("The highest permission of this watch's launches from now on"),
      Flag.optional
    ),
    agent: Flag.String("agent").pipe(
      Flag.withDescription("Stop the agent, and hand its conversation over to this one"),
      Flag.optional
    ),
    headless: Flag.Boolean("headless").pipe(
      Flag.withDescription("Launch without a window from now on, as where its terminal is gone"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const souffleur = yield* Souffleur
    const { id, watch: before } = yield* souffleur.find(namedIn(yield* Project, flags.watch))
    const permission = Option.getOrUndefined(flags.ceiling)
    if (permission !== undefined) yield* personOnly("a ceiling")
    const agent = Option.getOrUndefined(flags.agent)
    if (agent !== undefined) yield* personOnly("retry --agent")
    if (before.ceiling !== undefined || Object.values(before.pin.limits).some((limit) => limit !== null))
      yield* personOnly("a retry that allows as much use again")
    const { headless } = flags
    if (agent !== undefined && headless)
      return yield* new BadUsage({
        message: "hand the conversation over first; retry --headless is for a launch that failed"
      })
    const watch = yield* souffleur.retry(id, {
      ceiling: permission,
      agent,
      headless,
      byAgent: (yield* signOfAgent) !== undefined
    })
    const again = isUnwatched(before)
    const begun = watch.recovery?.cycle ?? null
    const cycle = begun === (before.recovery?.cycle ?? null) ? null : begun
    const since = iso(watch.allowedSince)
    const { ceiling } = watch.pin
    // The watch's own project may be another folder than this one.
    const settings = yield* settingsOf(watch.project)
    const file = settings.maxExternalPermission
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({
          watch: id,
          cycle,
          allowed_since: since,
          max_external_permission: lower(ceiling, file),
          agent: watch.agent ?? null
        })
      )
    if (Option.isSome(flags.ceiling)) {
      yield* Console.log(`${id}: no launch is above ${ceiling} from now on`)
      if (lower(ceiling, file) !== ceiling)
        yield* Console.error(`warning: the config file says MAX_EXTERNAL_PERMISSION=${file}, which is lower, and holds`)
      if (cycle === null) return
    }
    const whenOwned = watch.owner === undefined ? ' when souffleur runs again: "souffleur watch"' : ""
    yield* Console.log(
      agent !== undefined && watch.handedFrom !== undefined
        ? `${id}: the hand-over to ${agent} begins${whenOwned}`
        : agent !== undefined && cycle === null
          ? `${id}: ${agent} goes on as it is${whenOwned}`
          : cycle !== null
            ? `${id}: recovery ${cycle} begins${whenOwned}`
            : again
              ? `${id}: it is watched again${whenOwned}`
              : `${id}: as much again is allowed, from ${since} on (${allowed(settings)})`
    )
  })
).pipe(withLayers((settings) => Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
