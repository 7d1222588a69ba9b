import { Claims, EventLog, type ResolvedSettings, Words, isOfAnotherMachine, failedHandover } from "@souffleur/domain"
import { Beats, Cursor, Store } from "@souffleur/eventlog"
import { Signals } from "@souffleur/node"
import { Clock, Duration, Effect, FileSystem, Option, Path, Result, Stream } from "effect"
import { allWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { layerDatabase, layerStore } from "../world/StoreLayers.ts"
import { layerClaims } from "../world/World.ts"
import { estimateCheck, ratioOf } from "./GateCheck.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

/** Reads every event, and finds a missing one between two others. */
const readable = Effect.gen(function* () {
  const log = yield* EventLog
  const revisions = new Map<string, number>()
  const ratios: Array<number> = []
  let gap: string | undefined
  yield* log.readAll(0).pipe(
    Stream.runForEach(({ event, revision, stream }) =>
      Effect.sync(() => {
        const before = revisions.get(stream) ?? 0
        if (revision !== before + 1) gap ??= `${stream} goes from revision ${before} to ${revision}`
        revisions.set(stream, revision)
        const ratio = ratioOf(event)
        if (ratio !== undefined) ratios.push(ratio)
      })
    )
  )
  return { gap, ratios, watches: revisions.size, events: [...revisions.values()].reduce((all, one) => all + one, 0) }
})

const restore =
  "bring back a copy of it; where there is none, souffleur doctor --quarantine moves it aside and says how to go on"

/** Checks one unfinished watch: its owner, the owner's beat, and a standby that waits for a person. */
const watchFindings = Effect.fnUntraced(function* ({ id, watch }: NamedWatch, settings: ResolvedSettings) {
  const beats = yield* Beats
  const claims = yield* Claims
  const cursor = yield* Cursor
  const now = yield* Clock.currentTimeMillis
  const name = `watch ${id}`
  const findings: Array<Finding> = []
  if (watch.left !== undefined && isOfAnotherMachine(watch.left, claims.self)) {
    findings.push(
      note(
        name,
        `it was left on another machine (${watch.left.host}), and this state folder is a copy`,
        `go on with it there, or souffleur release ${id}`
      )
    )
  } else if (watch.owner === undefined || (yield* claims.isDead(watch.owner))) {
    const what =
      watch.owner === undefined ? "its souffleur left" : `its souffleur, pid ${watch.owner.process.pid}, is dead`
    const behind =
      watch.comms !== null && (yield* cursor.position(id)) < watch.revision ? ", and comms was not told everything" : ""
    // A souffleur that was told to end leaves no owner. An owner that is dead was killed, and that is wrong.
    const found = watch.owner === undefined ? note : wrong
    findings.push(
      found(name, `no souffleur looks after it: ${what}${behind}`, `souffleur resume ${id}, or souffleur release ${id}`)
    )
  } else {
    const age = Option.map(yield* beats.last(id), ({ at }) => now - at)
    if (
      Option.exists(age, (age) => age > Duration.toMillis(settings.monitorStaleAfter)) &&
      watch.watcher !== undefined
    ) {
      findings.push(
        wrong(
          name,
          `its souffleur, pid ${watch.owner.process.pid}, lives and last beat ${Words.duration(Option.getOrUndefined(age))} ago`,
          "is it stopped (SIGSTOP)? end that process, then souffleur watch"
        )
      )
    }
  }
  if (watch.standby !== undefined) {
    findings.push(
      wrong(
        name,
        `stands by since recovery ${watch.standby.cycle} failed closed at ${watch.standby.stage}: ${watch.standby.message}`,
        `souffleur why ${id}, then ${failedHandover(watch, id)?.back ?? `souffleur retry ${id}`} or souffleur adopt ${id}`
      )
    )
  }
  return findings.length > 0
    ? findings
    : [passed(name, `${watch.phase.toLowerCase()}, Conductor (S${Math.max(1, watch.generation)})`)]
})

/** Checks the log and its watches. A log is not created where there is none. */
export const logCheck = Effect.fn("logCheck")(function* (settings: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(settings.stateDir, "souffleur.db")
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false)))
    return { findings: [note("event log", "there is none yet")], watches: [] }
  const sound = yield* Effect.result(Effect.provide(Signals.endable(Store.unsound), layerDatabase(file)))
  if (Result.isFailure(sound)) return { findings: [wrong("event log", sound.failure.message, restore)], watches: [] }
  if (sound.success.length > 0)
    return { findings: [wrong("event log", `${file}: ${sound.success.join("; ")}`, restore)], watches: [] }
  return yield* Effect.gen(function* () {
    const read = yield* Effect.result(readable)
    const known = yield* allWatches
    const each = yield* Effect.forEach(
      known.filter(({ unreadable, watch }) => watch.phase !== "Exited" && unreadable === undefined),
      (one) => watchFindings(one, settings)
    )
    const damaged = (what: string) => ({
      findings: [wrong("event log", what, restore), ...each.flat()],
      watches: known
    })
    if (Result.isFailure(read)) return damaged(read.failure.message)
    const { events, gap, ratios, watches } = read.success
    if (gap !== undefined) return damaged(`events are missing: ${gap}`)
    const whole = passed(
      "event log",
      `${file}: ${events} events of ${watches} watches, each decodes; SQLite's check passes`
    )
    return { findings: [whole, ...estimateCheck(ratios), ...each.flat()], watches: known }
  }).pipe(
    Effect.provide([layerStore(settings), layerClaims]),
    Effect.catch((error) => Effect.succeed({ findings: [wrong("event log", error.message, restore)], watches: [] }))
  )
})
