import {
  EventLog,
  limitInWords,
  initial,
  Processes,
  type ResolvedSettings,
  Settings,
  urgentFirst,
  type Watch,
  Words,
  type Zone
} from "@souffleur/domain"
import { Cursor, positionOf } from "@souffleur/eventlog"
import { pageLink, pageNow } from "@souffleur/process"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import type { NamedWatch, WatchStatus } from "@souffleur/embed"
import {
  allWatches,
  briefWatches,
  type EndedWatch,
  endedNews,
  findWatch,
  isNews,
  type Job,
  layerHost,
  layerLaunches,
  layerLook,
  layerStore,
  livingWatches,
  livingRuns,
  lookedMark,
  sentence,
  taskCells,
  watchJob,
  watchStatus
} from "@souffleur/embed/internal"
import { allRuns } from "@souffleur/plan"
import { Environment } from "../world/CommandEnvironment.ts"
import { inOrder, statusJson } from "../explain/StatusJson.ts"
import { nextLines } from "../explain/NextLine.ts"
import { type StatusRow, statusTable } from "../explain/StatusTable.ts"
import { BadUsage } from "../Failure.ts"
import { table } from "../explain/TextTable.ts"
import { paint, printJson, printLines } from "../Printing.ts"
import { json, namedIn, projectDir, utcFlag, watchName, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

const seenNow = (named: NamedWatch, settings: ResolvedSettings, zone?: Zone) =>
  watchStatus(named, {
    settings,
    look: Layer.merge(layerLook(settings, named.watch.comms), layerLaunches(settings)),
    ...(zone === undefined ? {} : { zone })
  })

/** Looks at the watches that have not ended. Most have ended, and `ended` tells all that the table shows of them. */
const rowsOf = Effect.fnUntraced(function* (
  { ended, whole }: Effect.Success<typeof briefWatches>,
  runs: ReadonlyArray<Job>,
  {
    settings,
    unread,
    zone
  }: { readonly settings: ResolvedSettings; readonly unread: ReadonlySet<string>; readonly zone: Zone }
) {
  const listed = (
    {
      id,
      seen,
      watch
    }: { readonly id: string; readonly seen?: WatchStatus | undefined; readonly watch: Watch | EndedWatch },
    job: Job
  ) => ({
    id,
    watch,
    seen,
    job,
    unread: unread.has(id)
  })
  const rows = yield* Effect.forEach(whole.toReversed(), (named) =>
    Effect.map(named.watch.phase === "Exited" ? Effect.undefined : seenNow(named, settings, zone), (seen) =>
      listed({ ...named, seen }, seen?.job ?? watchJob(named, false))
    )
  )
  for (const one of ended.toReversed()) rows.push(listed(one, watchJob(one, false)))
  const all: ReadonlyArray<StatusRow & { readonly watch?: Watch | EndedWatch }> = [
    ...rows,
    ...runs.map((job) => ({ job, seen: undefined, unread: true }))
  ]
  return urgentFirst(all, ({ job }) => job)
})

/** Returns the news of a watch since the last look. On a terminal a person sees them, and they are marked so. */
const news = Effect.fnUntraced(function* ({ id, unreadable, watch }: NamedWatch) {
  if (unreadable !== undefined) return []
  const log = yield* EventLog
  const marks = yield* Cursor
  const mark = lookedMark(id)
  const seenUpTo = yield* positionOf(mark, Effect.succeed(watch.revision))
  if (seenUpTo === watch.revision) return []
  const fresh = (yield* log.read(id, seenUpTo)).filter(({ event }) => isNews(event))
  if ((yield* Environment).columns !== undefined) yield* marks.advance(mark, watch.revision)
  return fresh
})

/** Returns the watches that live, and the last ended ones that have news. `more` counts the others. */
const current = Effect.gen(function* () {
  const { ended, more } = yield* endedNews
  return { watches: [...ended, ...(yield* livingWatches)], more }
})

/** Lines of news of one watch. The log has the rest. */
const maxNews = 6

/** Tells the last words of a Conductor that has ended, or died. They are for this screen alone. */
const tellWords = Effect.fnUntraced(function* ({ id, unreadable, watch }: NamedWatch, settings: ResolvedSettings) {
  const { conductor } = watch
  if (unreadable !== undefined || conductor === undefined) return
  if (watch.phase !== "Exited" && (yield* Processes.use(({ condition }) => condition(conductor))) !== "gone") return
  // Few looks find a dead Conductor, and the others need not wait for the modules of a launch.
  const { dyingWords } = yield* Effect.promise(() => import("../explain/DyingWords.ts"))
  const words = yield* dyingWords(watch, settings)
  if (words.length === 0) return
  yield* printLines(`\n${paint((yield* Environment).colour)("dim", `LAST WORDS OF ${id}`)}`)
  yield* Effect.forEach(words, (one) => Console.log(one))
})

/** Prints how each watch is, or looks at one now (spec: command-line#status). */
export const statusCommand = Command.make(
  "status",
  {
    watch: watchName,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Also the watches that ended and have no news"),
      Flag.withDefault(false)
    ),
    host: Flag.String("host").pipe(
      Flag.withDescription("The watches of these hosts, asked by your own ssh: build1,me@build2"),
      Flag.optional
    ),
    fleet: Flag.Boolean("fleet").pipe(
      Flag.withDescription("The watches and runs of every host of the fleet, as its hub has them"),
      Flag.withDefault(false)
    ),
    projectDir,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    if (Option.isSome(flags.host) || flags.fleet) {
      if (flags.all || Option.isSome(flags.watch) || (Option.isSome(flags.host) && flags.fleet))
        return yield* new BadUsage({
          message: "--host and --fleet each list what lives on other hosts: they take no WATCH and no --all"
        })
    }
    if (flags.fleet) {
      const { printFleet } = yield* Effect.promise(() => import("../fleet/FleetTable.ts"))
      return yield* printFleet({ asJson: flags.json })
    }
    if (Option.isSome(flags.host)) {
      // Few looks are at other hosts, and the others need not wait for the modules of a program's run.
      const { printHosts } = yield* Effect.promise(() => import("../hosts/HostTable.ts"))
      return yield* printHosts(flags.host.value, { asJson: flags.json })
    }
    const settings = yield* Settings
    const { colour, columns } = yield* Environment
    const zone = yield* zoneOf(flags)
    const now = yield* Clock.currentTimeMillis
    const { more, watches } = Option.isSome(flags.watch)
      ? { watches: [yield* findWatch(namedIn(yield* Project, flags.watch))], more: 0 }
      : yield* current
    const all = flags.all && Option.isNone(flags.watch)
    if (more > 0 && !flags.all)
      yield* Console.error(`${more} more ${more === 1 ? "watch has" : "watches have"} ended: souffleur status --all`)
    const page = yield* pageNow(settings)
    // A program that polls has not looked, so the news stay new.
    if (flags.json) {
      const shown = all ? yield* allWatches : watches
      const seen = yield* Effect.forEach(shown.toReversed(), (one) => seenNow(one, settings))
      const linked = inOrder(seen.map(statusJson)).map((one) => ({
        ...one,
        link: page === null ? null : pageLink(page, { watch: one.watch })
      }))
      return yield* printJson(linked)
    }
    const runs = Option.isSome(flags.watch) ? [] : yield* Effect.provide(livingRuns, layerStore(settings))
    const known = new Map(watches.map(({ id, watch }) => [id, watch]))
    const found = yield* rowsOf(all ? yield* briefWatches : { whole: watches, ended: [] }, runs, {
      settings,
      zone,
      unread: new Set(known.keys())
    })
    const unseen = (yield* Effect.forEach(watches, news)).filter((events) => events.length > 0)
    const runsOver = found.length === 0 && (yield* Effect.provide(allRuns, layerStore(settings))).length > 0
    if (runsOver) return yield* Console.log("Nothing is at work now: souffleur conduct status --all lists the runs.")
    if (found.length === 0 && more > 0) return yield* Console.log("Nothing is watched now, and there is no news.")
    if (found.length === 0)
      return yield* Console.log(
        `No watch yet. Start one: souffleur run -- ${agentKind.program} "do it", or souffleur watch --pid PID --session-id ID; or see "souffleur demo".`
      )
    const brush = paint(colour)
    yield* printLines(statusTable(found, { now, columns, brush }).join("\n"))
    for (const {
      job: { id },
      watch
    } of found)
      if (watch?.overreach !== undefined)
        yield* Console.error(
          `warning: ${id}: the config file of ${watch.project} asks for another ${watch.overreach.keys.join(", ")} than is in force: souffleur config --trust`
        )
    for (const {
      job: { id },
      seen
    } of found)
      if (seen !== undefined && seen.tasks.length > 0)
        yield* printLines(
          [`\n${brush("dim", `TASKS OF ${id}`)}`, ...table(seen.tasks.map(taskCells), { columns })].join("\n")
        )
    for (const {
      job: { id },
      seen
    } of found)
      if (seen !== undefined && seen.limits.length > 0)
        yield* printLines(
          [`\n${brush("dim", `LIMITS OF ${id}`)}`, ...seen.limits.map((one) => limitInWords(one, now))].join("\n")
        )
    if (unseen.length > 0) yield* printLines(`\n${brush("dim", "SINCE YOU LAST LOOKED")}`)
    const rows = unseen.flatMap((events) => {
      const id = events[0]!.stream
      const more = events.length - maxNews
      return [
        ...(more > 0 ? [[id, `${more} more before these: souffleur log ${id}`]] : []),
        ...events
          .slice(-maxNews)
          .map(({ event }) => [id, Words.moment(event.at, now, zone), sentence(event, known.get(id) ?? initial, zone)])
      ]
    })
    const told = table(rows, { columns, wraps: true }).map((line, n) =>
      rows[n]!.length === 2 ? line.replaceAll(/.+/gu, (one) => brush("dim", one)) : line
    )
    if (told.length > 0) yield* printLines(told.join("\n"))
    for (const one of watches) yield* tellWords(one, settings)
    const needs = found.flatMap(({ job: { id, need }, unread }) =>
      need === null || !unread ? [] : [{ next: need.next, why: `${id}: ${need.why}` }]
    )
    if (needs.length > 0)
      yield* printLines(["", brush("dim", "NEXT"), ...nextLines(needs, (text) => brush("dim", text))].join("\n"))
    if (page !== null) {
      const one = Option.isSome(flags.watch) ? found[0] : undefined
      yield* printLines(`\n${brush("dim", "PAGE")}\n${pageLink(page, one === undefined ? {} : { watch: one.job.id })}`)
    }
  })
).pipe(withLayers((settings) => Layer.merge(layerStore(settings), layerHost)))
