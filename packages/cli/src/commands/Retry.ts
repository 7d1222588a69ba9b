import { load, type ResolvedSettings, iso } from "@souffleur/domain"
import { command } from "@souffleur/supervisor"
import { Console, Duration, Effect } from "effect"
import { Command } from "effect/cli"
import { settingsOf, store } from "../App.ts"
import { count, inWords } from "../Telling.ts"
import { findWatch } from "../Watches.ts"
import { json, projectDir, realProject, watchName } from "./Options.ts"

/** What the user has set. */
const allowed = ({ maxTime, maxTokens }: ResolvedSettings): string =>
  [
    ...(maxTokens === null ? [] : [`${count(maxTokens)} tokens`]),
    ...(maxTime === null ? [] : [inWords(Duration.toMillis(maxTime))]),
    ...(maxTokens === null && maxTime === null ? ["the ceilings that souffleur itself was started with"] : [])
  ].join(", ")

export const retryCommand = Command.make(
  "retry",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { cycle, id, watch } = yield* Effect.gen(function* () {
      const { id } = yield* findWatch(flags.watch, project)
      const { standby } = yield* load(id)
      const ceilings = settings.maxTime !== null || settings.maxTokens !== null
      const watch = yield* command(id, { _tag: "Retry", ceilings })
      return { id, watch, cycle: standby === undefined ? null : (watch.recovery?.cycle ?? null) }
    }).pipe(Effect.provide(store(settings)))
    const since = iso(watch.allowedSince)
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, cycle, allowed_since: since }))
    yield* Console.log(
      cycle === null
        ? `${id}: as much again is allowed, from ${since} on (${allowed(settings)})`
        : `${id}: recovery ${cycle} begins${watch.owner === undefined ? ' when souffleur runs again: "souffleur watch"' : ""}`
    )
  })
).pipe(
  Command.withDescription(
    "Try a recovery again that failed closed or was withheld; else allow as much again as MAX_TOKENS and MAX_TIME say"
  )
)
