import { RunLog, streamOf } from "@souffleur/plan"
import { Console, Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { settingsOf } from "../world/App.ts"
import { findRun, runs } from "../world/RunDirectory.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { reasonJson } from "../explain/Explanation.ts"
import { BadUsage } from "../Failure.ts"
import { runReasonLines, runReasonOf } from "../explain/RunReason.ts"
import { withProgress } from "../explain/RunProgress.ts"
import { runJsonLine, runLine } from "../explain/RunSentence.ts"
import { paint, printJson } from "../Printing.ts"
import { runName } from "./ConductAnswerCommand.ts"
import { json, projectDir, realProject } from "./Options.ts"

export const conductLogCommand = Command.make(
  "log",
  {
    run: runName,
    follow: Flag.Boolean("follow").pipe(Flag.withDescription("Go on with what is appended"), Flag.withDefault(false)),
    from: Flag.Int("from").pipe(Flag.withDescription("Only from this revision on"), Flag.withDefault(1)),
    projectDir,
    json
  },
  Effect.fnUntraced(function* ({ follow, from, run, ...flags }) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { colour } = yield* Environment
    const brush = paint(colour)
    yield* Effect.gen(function* () {
      const log = yield* RunLog
      const { id } = yield* findRun(run, project)
      const after = Math.max(0, from - 1)
      const events = follow ? log.changes(streamOf(id), 0) : Stream.fromIterableEffect(log.read(streamOf(id), 0))
      yield* Stream.runForEach(withProgress(events), ({ progress, recorded }) =>
        recorded.revision <= after
          ? Effect.void
          : Console.log(flags.json ? runJsonLine(recorded) : runLine(recorded, brush, progress))
      )
    }).pipe(Effect.provide(runs(settings)))
  })
).pipe(Command.withDescription("The events of a run"))

export const conductWhyCommand = Command.make(
  "why",
  {
    revision: Argument.Int("revision").pipe(
      Argument.withDescription("The decision at or before it (default: the last)"),
      Argument.optional
    ),
    run: runName,
    projectDir,
    json
  },
  Effect.fnUntraced(function* ({ revision, run, ...flags }) {
    const project = yield* realProject(flags.projectDir)
    const settings = yield* settingsOf(project)
    const { events, id } = yield* Effect.gen(function* () {
      const { id } = yield* findRun(run, project)
      return { id, events: yield* (yield* RunLog).read(streamOf(id), 0) }
    }).pipe(Effect.provide(runs(settings)))
    const reason = runReasonOf(
      events,
      Option.getOrElse(revision, () => Number.POSITIVE_INFINITY)
    )
    if (reason === undefined) return yield* new BadUsage({ message: `run ${id} has decided nothing up to there` })
    if (flags.json) return yield* printJson({ run: id, ...reasonJson(reason, runJsonLine) })
    yield* Effect.forEach(runReasonLines(reason), (line) => Console.log(line))
  })
).pipe(Command.withDescription("The last (or that) decision of a run: what was seen, the rule, what was done"))
