import { Settings } from "@souffleur/domain"
import { SouffleurLog, type Why } from "@souffleur/embed"
import {
  jsonLine,
  layerComms,
  layerHost,
  layerStore,
  otlpTarget,
  reasonJson,
  taskCells,
  taskJson,
  tasksNow,
  traceOfDecision
} from "@souffleur/embed/internal"
import { Effect, Layer, Option, Result } from "effect"
import { Argument, Command } from "effect/cli"
import { dyingWords } from "../explain/DyingWords.ts"
import { table } from "../explain/TextTable.ts"
import { BadUsage } from "../Failure.ts"
import { printJson, printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { findJob } from "./NamedJob.ts"
import { indentOf, wrapped } from "../Wrapped.ts"
import { json, namedIn, projectDir, unlessAhead, utcFlag, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** The decisions about a Conductor whose last words say why. */
const deaths: ReadonlySet<string> = new Set(["ConductorDied", "EndedEarly", "RetriesExhausted"])

/** Returns the last words of the Conductor that died at a revision, as lines of the screen. */
const wordLines = Effect.fnUntraced(function* (id: string, { recorded }: Why) {
  if (!deaths.has(recorded.event._tag)) return []
  const settings = yield* Settings
  const log = yield* SouffleurLog
  const then = yield* log.state(id, { revision: recorded.revision })
  const now = yield* log.state(id)
  const words = yield* dyingWords(then, settings, now)
  return words.length === 0 ? [] : ["", "Its last words", ...words.map((word) => `  ${word}`)]
})

/** Names the trace where traces are exported from here. */
const traceLines = Effect.fnUntraced(function* (trace: string | null) {
  const { variables } = yield* Environment
  const exported = Result.getOrElse(otlpTarget(variables, "traces"), () => null) !== null
  return trace === null || !exported ? [] : ["", "Trace", `  ${trace}`]
})

/** Explains a decision of a watch, or of a run, by its evidence and rule (spec: command-line#looking). */
export const whyCommand = Command.make(
  "why",
  {
    words: Argument.String("watch").pipe(
      Argument.withDescription("[WATCH] [REV]: the last decision of a watch or a run, or the one at a revision"),
      Argument.variadic({ max: 2 })
    ),
    projectDir,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const revision = flags.words.find((word) => /^\d{1,9}$/u.test(word))
    const name = Option.fromUndefinedOr(flags.words.find((word) => word !== revision))
    if (flags.words.length > 1 && revision === undefined)
      return yield* new BadUsage({ message: "a revision is a number, such as in: souffleur why opera-1507 7" })
    const log = yield* SouffleurLog
    const of = namedIn(yield* Project, name)
    const found = yield* findJob(log, of)
    // Programs read UTC.
    const zone = yield* zoneOf({ utc: flags.utc || flags.json })
    if ("run" in found) {
      // Few explain a run, and the others need not wait for its modules.
      const { tellRunWhy } = yield* Effect.promise(() => import("../explain/PlanWhy.ts"))
      return yield* tellRunWhy(found.id, {
        asJson: flags.json,
        zone,
        revision: revision === undefined ? undefined : Number(revision)
      })
    }
    const { id, watch } = found
    if (revision !== undefined) yield* unlessAhead({ id, watch }, Number(revision))
    const why = yield* log.why(id, { revision: revision === undefined ? undefined : Number(revision), zone })
    if (Option.isNone(why))
      return yield* new BadUsage({
        message: `${id} has decided nothing ${revision === undefined ? "yet" : `up to revision ${revision}`}`
      })
    const trace = yield* traceOfDecision(found, why.value.recorded)
    // An earlier decision knew other tasks.
    const tasks = revision === undefined ? yield* Effect.provide(tasksNow(watch), layerComms(watch.comms)) : []
    if (flags.json)
      return yield* printJson({
        watch: id,
        ...reasonJson(why.value, jsonLine),
        trace_id: trace,
        tasks: tasks.map(taskJson)
      })
    const { columns } = yield* Environment
    const taskLines = table(tasks.map(taskCells), { indent: "  " })
    const lines = [
      ...why.value.lines,
      ...(yield* wordLines(id, why.value)),
      ...(taskLines.length === 0 ? [] : ["", "Its tasks now", ...taskLines]),
      ...(yield* traceLines(trace))
    ]
    yield* Effect.forEach(lines, (line) => printLines(wrapped(line, columns, indentOf(line)).join("\n")))
  })
).pipe(withLayers((settings) => Layer.merge(Layer.provideMerge(SouffleurLog.layer, layerStore(settings)), layerHost)))
