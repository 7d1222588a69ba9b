import { Claims, EventLog, type ResolvedSettings, Words } from "@souffleur/domain"
import { isDraft, lookTrusted } from "@souffleur/process"
import { Beats, Cursor, Store } from "@souffleur/eventlog"
import { Signals } from "@souffleur/node"
import { Clock, Duration, Effect, FileSystem, Option, Path, Result, Stream } from "effect"
import { claims, database, host, store } from "../world/App.ts"
import { allWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { diskCheck } from "./DiskCheck.ts"
import { estimateCheck, ratioOf } from "./EstimateCheck.ts"
import { type Finding, note, ok, wrong } from "./Finding.ts"

const forOthers = 0o077
/** The number of open files that are named. A wrong mode has most often reached all files. */
const maxNamed = 5

/** The folders in the state folder where souffleur keeps files. */
const folders = ["", "launches", "exports", "requests", "hooks"]

/** Checks that the state folder and its files belong to this user alone, and can be written. */
const folder = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const look = Effect.fnUntraced(function* (file: string) {
    const info = yield* Effect.option(fs.stat(file))
    if (Option.isNone(info) || (info.value.mode & forOthers) === 0) return []
    const mode = info.value.type === "Directory" ? "0700" : "0600"
    return [wrong("state folder", `${file} is open to others: conversations are in it`, `chmod ${mode} '${file}'`)]
  })
  const ours = yield* Effect.result(lookTrusted(stateDir, { folder: true, own: true }))
  if (Result.isFailure(ours))
    return ours.failure.missing
      ? [note("state folder", `${stateDir} is not there: the first watch makes it`)]
      : [wrong("state folder", ours.failure.message, "every command that needs it is refused until then")]
  const open: Array<Finding> = [...(yield* look(stateDir))]
  for (const at of folders.map((name) => path.join(stateDir, name))) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(at), (): ReadonlyArray<string> => [])
    for (const name of names) if (open.length < maxNamed) open.push(...(yield* look(path.join(at, name))))
  }
  if (open.length > 0) return open
  return yield* fs.access(stateDir, { readable: true, writable: true }).pipe(
    Effect.as([ok("state folder", `${stateDir} is ours alone`)]),
    Effect.orElseSucceed(() => [
      wrong("state folder", `${stateDir} cannot be written`, "give it back to this user, or set SOUFFLEUR_STATE_DIR")
    ])
  )
})

/** Drafts and undecided launches live for a moment. An older one was left by a process that was killed. */
const momentary = /^\.new-|\.json$/u
const draftLife = Duration.minutes(10)

const olderThan = Effect.fnUntraced(function* (file: string, at: number) {
  const info = yield* Effect.option(Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(file)))
  return Option.exists(
    Option.flatMap(info, ({ mtime }) => mtime),
    (time) => time.getTime() < at
  )
})

/** Finds environments of first launches that no unfinished watch names. Each should go with the end of its watch. */
const keptFor = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings, watches: ReadonlyArray<NamedWatch>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(stateDir, "launches")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const now = yield* Clock.currentTimeMillis
  const unfinished = watches.filter(({ watch }) => watch.phase !== "Exited").map(({ id }) => `${id}-g1-launch-`)
  const left = yield* Effect.filter(
    names.filter((name) => name.endsWith(".kept") && !unfinished.some((beginning) => name.startsWith(beginning))),
    (name) => olderThan(path.join(folder, name), now - Duration.toMillis(draftLife))
  )
  return left.length === 0
    ? []
    : [
        wrong(
          "leftovers",
          `${left.length} environments of launches that no watch needs any more, perhaps with keys: ${left.slice(0, 3).join(", ")}`,
          `delete them: they are in ${folder}`
        )
      ]
})

const orphans = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const now = yield* Clock.currentTimeMillis
  const left: Array<string> = []
  for (const at of folders.map((name) => path.join(stateDir, name))) {
    const names = yield* Effect.orElseSucceed(fs.readDirectory(at), (): ReadonlyArray<string> => [])
    for (const name of names.filter((name) => momentary.test(name) || isDraft(name)))
      if (yield* olderThan(path.join(at, name), now - Duration.toMillis(draftLife))) left.push(path.join(at, name))
  }
  return left.length === 0
    ? ok("leftovers", "none")
    : note(
        "leftovers",
        `${left.length} drafts and launch files of processes that were killed: ${left.slice(0, 3).join(", ")}`,
        "delete them"
      )
})

/**
 * Bytes on disk of outputs of launches above which a person should look. souffleur bounds the outputs of its own
 * launches.
 */
const printedMost = 1_073_741_824

const printed = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(stateDir, "launches")
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const infos = yield* Effect.forEach(names, (name) => Effect.option(fs.stat(path.join(folder, name))))
  const blocks = infos.map((info) =>
    Number(
      Option.getOrElse(
        Option.flatMap(info, ({ blocks }) => blocks),
        () => 0
      )
    )
  )
  const bytes = blocks.reduce((all, one) => all + one * 512, 0)
  return bytes > printedMost
    ? [
        note(
          "outputs",
          `what launches have printed takes ${Math.round(bytes / 1e6)} MB in ${folder}`,
          "delete what you need no more: ls -t there"
        )
      ]
    : []
})

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
const standing = Effect.fnUntraced(function* ({ id, watch }: NamedWatch, settings: ResolvedSettings) {
  const beats = yield* Beats
  const claims = yield* Claims
  const cursor = yield* Cursor
  const now = yield* Clock.currentTimeMillis
  const name = `watch ${id}`
  const findings: Array<Finding> = []
  if (watch.owner === undefined || (yield* claims.isDead(watch.owner))) {
    const what =
      watch.owner === undefined ? "its souffleur left" : `its souffleur, pid ${watch.owner.process.pid}, is dead`
    const untold =
      watch.comms !== null && (yield* cursor.position(id)) < watch.revision ? ", and comms was not told everything" : ""
    // A souffleur that was told to end leaves no owner. An owner that is dead was killed, and that is wrong.
    const found = watch.owner === undefined ? note : wrong
    findings.push(
      found(
        name,
        `no souffleur looks after it: ${what}${untold}`,
        `souffleur watch in ${watch.project}, or souffleur release ${id}`
      )
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
        `stands by since recovery ${watch.standby.cycle} failed closed at ${watch.standby.stage}: ${watch.standby.reason}`,
        `souffleur why ${id}, then souffleur retry ${id} or souffleur adopt ${id}`
      )
    )
  }
  return findings.length > 0
    ? findings
    : [ok(name, `${watch.phase.toLowerCase()}, Conductor (S${Math.max(1, watch.generation)})`)]
})

/** Checks the log and its watches. A log is not created where there is none. */
const log = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(settings.stateDir, "souffleur.db")
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false)))
    return { findings: [note("event log", "there is none yet")], watches: [] }
  const sound = yield* Effect.result(Effect.provide(Signals.endable(Store.unsound), database(file)))
  if (Result.isFailure(sound)) return { findings: [wrong("event log", sound.failure.message, restore)], watches: [] }
  if (sound.success.length > 0)
    return { findings: [wrong("event log", `${file}: ${sound.success.join("; ")}`, restore)], watches: [] }
  return yield* Effect.gen(function* () {
    const read = yield* Effect.result(readable)
    const known = yield* allWatches
    const each = yield* Effect.forEach(
      known.filter(({ unreadable, watch }) => watch.phase !== "Exited" && unreadable === undefined),
      (one) => standing(one, settings)
    )
    const damaged = (what: string) => ({
      findings: [wrong("event log", what, restore), ...each.flat()],
      watches: known
    })
    if (Result.isFailure(read)) return damaged(read.failure.message)
    const { events, gap, ratios, watches } = read.success
    if (gap !== undefined) return damaged(`events are missing: ${gap}`)
    const whole = ok(
      "event log",
      `${file}: ${events} events of ${watches} watches, each decodes; SQLite's check passes`
    )
    return { findings: [whole, ...estimateCheck(ratios), ...each.flat()], watches: known }
  }).pipe(
    Effect.provide([store(settings), claims]),
    Effect.catch((error) => Effect.succeed({ findings: [wrong("event log", error.message, restore)], watches: [] }))
  )
})

/** Checks whether a claim could be taken now. */
const claimable = Effect.gen(function* () {
  const claims = yield* Claims
  const probe = { session: "doctor" }
  return yield* claims.claim(probe).pipe(
    Effect.andThen(claims.release(probe)),
    // Another doctor holds the probe at this moment.
    Effect.catchTag("AlreadyWatched", () => Effect.void),
    Effect.as(ok("claims", "no other souffleur of this user can watch the same Conductor")),
    Effect.catchTag("ClaimFailed", ({ message }) =>
      Effect.succeed(wrong("claims", message, "nothing new is watched until then"))
    )
  )
}).pipe(Effect.provide(claims))

/** Checks souffleur's own files. Returns the findings and all watches, those that have ended too. */
export const stateFolderCheck = Effect.fn("Doctor.stateFolderCheck")(function* (settings: ResolvedSettings) {
  const { findings, watches } = yield* log(settings)
  // Only a readable log says which launches are still needed.
  const readable = findings.some(({ check, level }) => check === "event log" && level !== "wrong")
  const kept = readable ? yield* keptFor(settings, watches) : []
  const state = [
    ...(yield* folder(settings)),
    ...(yield* diskCheck(settings)),
    yield* claimable,
    yield* orphans(settings),
    ...(yield* printed(settings))
  ]
  return { findings: [...state, ...kept, ...findings], watches }
}, Effect.provide(host))
