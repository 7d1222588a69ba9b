import { finish } from "@souffleur/supervisor"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { launches, settingsOf, store } from "../App.ts"
import { Environment } from "../Environment.ts"
import { allWatches, findWatch, ofAgent } from "../Watches.ts"
import { json, projectDir, realProject, watchName } from "./Options.ts"

/** An agent's last word, or a hook's, or an operator's: the work is complete (cli.md). Said again, it changes nothing. */
export const doneCommand = Command.make(
  "done",
  { watch: watchName, projectDir, json },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { variables } = yield* Environment
    const { by, id } = yield* Effect.gen(function* () {
      const own = ofAgent(yield* allWatches, variables)
      const { id, watch } = Option.isSome(flags.watch) || Option.isNone(own) ? yield* findWatch(flags.watch, project) : own.value
      const by = Option.exists(own, (one) => one.id === id) ? "agent" : "operator"
      if (watch.end !== "completed") yield* finish(id, by)
      return { id, by }
    }).pipe(Effect.provide([store(settings), launches(settings)]))
    if (flags.json) return yield* Console.log(JSON.stringify({ watch: id, completed: true, by }))
    yield* Console.log(`${id} is complete.`)
  })
).pipe(
  Command.withDescription("Say that the work is complete, as its agent, from a hook, or by hand: the watch ends"),
  Command.withExamples([{ command: "souffleur done", description: "The watch of this agent session; from elsewhere, of this folder" }])
)
