import { evolve, initial, type Recorded, type Watch, Words } from "@souffleur/domain"
import { SouffleurLog } from "@souffleur/embed"
import { eventsBetween, jsonLine, layerStore, revisionAt } from "@souffleur/embed/internal"
import { missing } from "@souffleur/eventlog"
import { Clock, Console, Effect, Layer, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { watchLines } from "../explain/WatchLine.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint } from "../Printing.ts"
import { json, namedIn, projectDir, sinceOf, utcFlag, watchName, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Prints the events of a watch, or of all, and follows them (spec: command-line#looking). */
export const logCommand = Command.make(
  "log",
  {
    watch: watchName,
    projectDir,
    json,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Print the events of every watch, in their order"),
      Flag.withDefault(false)
    ),
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Also print what comes, until the watch ends"),
      Flag.withDefault(false)
    ),
    from: Flag.Int("from").pipe(Flag.withDescription("Begin at this revision"), Flag.withDefault(1)),
    utc: utcFlag,
    since: Flag.String("since").pipe(
      Flag.withDescription("Print what is younger than 8h, for example, or since a time such as 20:48"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (flags) {
    const { colour, columns } = yield* Environment
    const brush = paint(colour)
    const zone = yield* zoneOf(flags)
    const now = yield* Clock.currentTimeMillis
    const dates = Words.makeDates(now, zone)
    const after = Option.isSome(flags.since) ? yield* sinceOf(flags.since.value, now, zone) : 0
    if (flags.all && Option.isSome(flags.watch))
      return yield* new BadUsage({ message: "--all prints every watch: leave out either --all or the watch" })
    const log = yield* SouffleurLog
    const watches = new Map<string, Watch>()
    const newest = new Map<string, number>()
    /** The number of missing events before later ones of the same watch. */
    let gaps = 0
    const rendered = (recorded: Recorded) => {
      const { event, revision, stream } = recorded
      const due = (newest.get(stream) ?? 0) + 1
      const gap = revision > due ? `souffleur: ${missing(stream, due).message}` : undefined
      newest.set(stream, revision)
      const next = evolve(watches.get(stream) ?? initial, event)
      if (next.phase === "Exited") watches.delete(stream)
      else watches.set(stream, next)
      if (revision < flags.from || event.at < after) return { gap, lines: [] }
      if (flags.json) return { gap, lines: [jsonLine(recorded)] }
      const date = dates(event.at)
      const lines = watchLines(recorded, { watch: next, named: flags.all, brush, columns, zone })
      return { gap, lines: date === undefined ? lines : [brush("dim", date), ...lines] }
    }
    /** Streams one watch. It folds no event before those that are asked for, so that a long history costs nothing. */
    const eventsOfOne = Effect.gen(function* () {
      const { id, watch } = yield* log.find(namedIn(yield* Project, flags.watch))
      const young = after === 0 ? 0 : yield* revisionAt(id, watch.revision, after - 1)
      const before = Math.min(watch.revision, Math.max(young, flags.from - 1))
      watches.set(id, yield* log.state(id, { revision: before }))
      newest.set(id, before)
      return flags.follow && watch.phase !== "Exited"
        ? log.events(id, { after: before })
        : eventsBetween((range) => log.history(id, range), before, watch.revision)
    })
    const all = flags.follow ? log.eventsOfAll : log.historyOfAll
    yield* (flags.all ? all : Stream.unwrap(eventsOfOne)).pipe(
      Stream.map(rendered),
      Stream.tap(({ gap }) =>
        gap === undefined ? Effect.void : Effect.tap(Console.error(gap), () => Effect.sync(() => (gaps += 1)))
      ),
      Stream.tap(({ lines }) => Effect.forEach(lines, (one) => Console.log(one))),
      Stream.runDrain
    )
    if (gaps > 0) return yield* new Ended({ code: 4 })
  })
).pipe(withLayers((settings) => Layer.provideMerge(SouffleurLog.layer, layerStore(settings))))
