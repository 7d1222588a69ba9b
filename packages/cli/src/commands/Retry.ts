import { command } from "@souffleur/supervisor"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { settingsOf, store } from "../App.ts"
import { findWatch } from "../Watches.ts"
import { json, projectDir, realProject, watchName } from "./Options.ts"

export const retryCommand = Command.make(
  "retry",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { id, watch } = yield* Effect.gen(function* () {
      const { id } = yield* findWatch(flags.watch, project)
      return { id, watch: yield* command(id, { _tag: "Retry" }) }
    }).pipe(Effect.provide(store(settings)))
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, cycle: watch.recovery?.cycle }))
    yield* Console.log(
      `${id}: recovery ${watch.recovery?.cycle} begins${watch.owner === undefined ? ' when souffleur runs again: "souffleur watch"' : ""}`
    )
  })
).pipe(Command.withDescription("Try a recovery again that failed closed"))
