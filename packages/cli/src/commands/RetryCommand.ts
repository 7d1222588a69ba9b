import { isUnwatched, iso, load, lower, Permission, type ResolvedSettings, Settings, Words } from "@souffleur/domain"
import { command } from "@souffleur/supervisor"
import { Console, Duration, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { findWatch, layerAgentFiles, layerHost, layerStore, settingsOf } from "@souffleur/embed/internal"
import { personOnly } from "../watching/PersonOnly.ts"
import { json, projectDir, watchName } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Describes the ceilings of use that are set. */
const allowed = ({ maxTime, maxTokens }: ResolvedSettings): string =>
  [
    ...(maxTokens === null ? [] : [`${Words.count(maxTokens)} tokens`]),
    ...(maxTime === null ? [] : [Words.duration(Duration.toMillis(maxTime))]),
    ...(maxTokens === null && maxTime === null ? ["the ceilings that souffleur itself was started with"] : [])
  ].join(", ")

export const retryCommand = Command.make(
  "retry",
  {
    watch: watchName,
    projectDir,
    ceiling: Flag.Literals("ceiling", Permission.literals).pipe(
      Flag.withDescription("No launch of this watch is above it from now on, whatever it was opened with"),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const settings = yield* Settings
    const { id } = yield* findWatch(flags.watch, yield* Project)
    const permission = Option.getOrUndefined(flags.ceiling)
    if (permission !== undefined) yield* personOnly("a ceiling")
    const before = yield* load(id)
    const ceilings = settings.maxTime !== null || settings.maxTokens !== null
    const watch = yield* command(id, { _tag: "Retry", ceilings, permission })
    const again = isUnwatched(before)
    const cycle = before.standby === undefined ? null : (watch.recovery?.cycle ?? null)
    const since = iso(watch.allowedSince)
    const { ceiling } = watch.pin
    // The watch's own project may be another folder than this one.
    const file = (yield* settingsOf(watch.project)).maxExternalPermission
    if (flags.json)
      return yield* Console.log(
        JSON.stringify({ watch: id, cycle, allowed_since: since, max_external_permission: lower(ceiling, file) })
      )
    if (Option.isSome(flags.ceiling)) {
      yield* Console.log(`${id}: no launch is above ${ceiling} from now on`)
      if (lower(ceiling, file) !== ceiling)
        yield* Console.error(`warning: the config file says MAX_EXTERNAL_PERMISSION=${file}, which is lower, and holds`)
      if (cycle === null) return
    }
    const whenOwned = watch.owner === undefined ? ' when souffleur runs again: "souffleur watch"' : ""
    yield* Console.log(
      again
        ? `${id}: it is watched again${whenOwned}`
        : cycle === null
          ? `${id}: as much again is allowed, from ${since} on (${allowed(settings)})`
          : `${id}: recovery ${cycle} begins${whenOwned}`
    )
  })
).pipe(
  withLayers((settings) => Layer.merge(layerStore(settings), Layer.provideMerge(layerAgentFiles(settings), layerHost)))
)
