import { Words } from "@souffleur/domain"
import { SouffleurLog } from "@souffleur/embed"
import { Clock, Console, Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerSouffleurLog, reasonJson, runJsonLine, runReasonLines, withProgress } from "@souffleur/embed/internal"
import { runLine } from "../explain/RunLine.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { paint, printJson } from "../Printing.ts"
import { runName } from "./ConductAnswerCommand.ts"
import { json, namedIn, projectDir, utcFlag, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Prints the events of a run (spec: command-line#plans). */
export const conductLogCommand = Command.make(
  "log",
  {
    run: runName,
    follow: Flag.Boolean("follow").pipe(Flag.withDescription("Go on with what is appended"), Flag.withDefault(false)),
    from: Flag.Int("from").pipe(Flag.withDescription("Only from this revision on"), Flag.withDefault(1)),
    projectDir,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* ({ follow, from, json, run, utc }) {
    const { colour } = yield* Environment
    const brush = paint(colour)
    const zone = yield* zoneOf({ utc })
    const dates = Words.makeDates(yield* Clock.currentTimeMillis, zone)
    const log = yield* SouffleurLog
    const name = namedIn(yield* Project, run)
    const after = Math.max(0, from - 1)
    const events = follow ? log.runEvents(name) : Stream.fromIterableEffect(log.runHistory(name))
    yield* Stream.runForEach(withProgress(events), ({ progress, recorded }) =>
      recorded.revision <= after
        ? Effect.void
        : json
          ? Console.log(runJsonLine(recorded))
          : Effect.forEach(
              [dates(recorded.event.at) ?? [], runLine(recorded, brush, progress, zone)].flat(),
              (line) => Console.log(line),
              { discard: true }
            )
    )
  })
).pipe(withLayers(layerSouffleurLog), Command.withDescription("The events of a run"))

/** Explains a decision of a run by its evidence and rule (spec: command-line#plans). */
export const conductWhyCommand = Command.make(
  "why",
  {
    revision: Argument.Int("revision").pipe(
      Argument.withDescription("The decision at or before it (default: the last)"),
      Argument.optional
    ),
    run: runName,
    projectDir,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* ({ json, revision, run, utc }) {
    const log = yield* SouffleurLog
    const { id } = yield* log.findRun(namedIn(yield* Project, run))
    const at = Option.match(revision, { onNone: () => undefined, onSome: (revision) => ({ revision }) })
    const why = yield* log.runWhy(id, at)
    if (Option.isNone(why))
      return yield* new BadUsage({
        message: `run ${id} has decided nothing ${Option.match(revision, {
          onNone: () => "yet",
          onSome: (revision) => `up to revision ${revision}`
        })}`
      })
    if (json) return yield* printJson({ run: id, ...reasonJson(why.value, runJsonLine) })
    yield* Effect.forEach(runReasonLines(why.value, yield* zoneOf({ utc })), (line) => Console.log(line))
  })
).pipe(
  withLayers(layerSouffleurLog),
  Command.withDescription("The last (or that) decision of a run: its evidence, its rule, its action")
)
