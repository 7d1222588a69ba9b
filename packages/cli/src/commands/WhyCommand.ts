import { EventLog } from "@souffleur/domain"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { findWatch, jsonLine, layerStore, reasonJson, reasonOf, reasonText } from "@souffleur/embed/internal"
import { BadUsage } from "../Failure.ts"
import { printJson } from "../Printing.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

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
    const revision = flags.words.find((word) => /^\d{1,9}$/u.test(word))
    const name = Option.fromUndefinedOr(flags.words.find((word) => word !== revision))
    const { id } = yield* findWatch(name, yield* Project)
    const events = yield* EventLog.use((log) => log.read(id, 0))
    const reason = reasonOf(events, revision === undefined ? Number.POSITIVE_INFINITY : Number(revision))
    if (reason === undefined)
      return yield* new BadUsage({
        message: `${id} has decided nothing ${revision === undefined ? "yet" : `up to revision ${revision}`}`
      })
    if (flags.json) return yield* printJson({ watch: id, ...reasonJson(reason, jsonLine) })
    yield* Effect.forEach(reasonText(reason), (line) => Console.log(line))
  })
).pipe(withLayers(layerStore))
