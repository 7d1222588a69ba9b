import { Words } from "@souffleur/domain"
import { SouffleurLog } from "@souffleur/embed"
import { Clock, Console, Effect, Layer, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerHost, layerSouffleurLog, runJsonLine, withProgress } from "@souffleur/embed/internal"
import { runLine } from "../conducting/RunLine.ts"
import { tellRunWhy } from "../explain/PlanWhy.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { paint } from "../Printing.ts"
import { runName } from "./ConductAnswerCommand.ts"
import { json, namedIn, projectDir, utcFlag, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Prints the events of a run (spec: command-line#plans). */
export const conductLogCommand = Command.make(
  "log",
  {
    run: runName,
    follow: Flag.Boolean("follow").pipe(Flag.withDescription("Go on with what is appended"), Flag.withDefault(false)),
    from: Flag.Int("from").pipe(Flag.withDescription("Begin at this revision"), Flag.withDefault(1)),
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
    const events = follow ? log.planEvents(name) : Stream.fromIterableEffect(log.planHistory(name))
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
).pipe(withLayers(layerSouffleurLog), Command.withDescription("Print the events of a run"))

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
    const { id } = yield* log.findPlan(namedIn(yield* Project, run))
    yield* tellRunWhy(id, {
      asJson: json,
      revision: Option.getOrUndefined(revision),
      zone: yield* zoneOf({ utc: utc || json })
    })
  })
).pipe(
  withLayers((settings) => Layer.merge(layerSouffleurLog(settings), layerHost)),
  Command.withDescription("Explain the last decision of a run, or an earlier one: its evidence, its rule, its action")
)
