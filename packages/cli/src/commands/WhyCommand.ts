import { EventLog } from "@souffleur/domain"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { settingsOf, store } from "../world/App.ts"
import { reasonJson } from "../explain/Explanation.ts"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { reasonOf, reasonText } from "../explain/WatchReason.ts"
import { jsonLine } from "../explain/WatchSentence.ts"
import { findWatch } from "../watching/FindWatch.ts"
import { json, projectDir, realProject } from "./Options.ts"

export const whyCommand = Command.make(
  "why",
  {
    words: Argument.String("watch").pipe(
      Argument.withDescription("[WATCH] [REV]: the last decision of a watch, or the one at a revision"),
      Argument.variadic({ max: 2 })
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const revision = flags.words.find((word) => /^\d{1,9}$/u.test(word))
    const name = Option.fromUndefinedOr(flags.words.find((word) => word !== revision))
    const { events, id } = yield* Effect.gen(function* () {
      const { id } = yield* findWatch(name, project)
      return { id, events: yield* (yield* EventLog).read(id, 0) }
    }).pipe(Effect.provide(store(settings)))
    const reason = reasonOf(events, revision === undefined ? Number.POSITIVE_INFINITY : Number(revision))
    if (reason === undefined)
      return yield* new BadUsage({
        message: `${id} has decided nothing ${revision === undefined ? "yet" : `up to revision ${revision}`}`
      })
    if (flags.json) return yield* printJson({ watch: id, ...reasonJson(reason, jsonLine) })
    yield* Effect.forEach(reasonText(reason), (line) => Console.log(line))
  })
).pipe(Command.withDescription("The last (or that) decision: what was seen, the rule, what was done"))
