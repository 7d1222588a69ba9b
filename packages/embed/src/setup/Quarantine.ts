import { LogUnusable, Store } from "@souffleur/eventlog"
import {
  Claims,
  decodeEvent,
  Event,
  eventTags,
  evolve,
  initial,
  iso,
  Launcher,
  Processes,
  type ResolvedSettings,
  type Watch
} from "@souffleur/domain"
import { HookFiles, RecoverRows } from "@souffleur/node"
import { sync } from "@souffleur/process"
import { Clock, Effect, FileSystem, Option, Path, Result, Runtime, Schema } from "effect"
import { statusLine } from "../explain/StatusLine.ts"
import { liveSessions } from "../watching/LiveSessions.ts"
import { layerAgentFiles } from "../world/AgentLayers.ts"
import { Installation } from "../world/Installation.ts"
import { layerLaunches } from "../world/LaunchLayers.ts"
import { layerHost } from "../world/StoreLayers.ts"
import { layerClaims } from "../world/World.ts"
import { type Finding, note, passed, wrong } from "../doctor/Finding.ts"

/** A log is not moved aside, because a process has it open or may own a watch in it. Exit code 3. */
export class NotQuarantined extends Schema.TaggedError<NotQuarantined>()("NotQuarantined", {
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return `nothing is moved: ${this.problem}`
  }
}

/** The number of newest events that are named for each watch. */
const lastTold = 5

/** The readable part of a watch, with the newest of its events last. */
interface RecoveredRows {
  watch: Watch
  revision: number
  read: number
  newest: ReadonlyArray<string>
}

/** Folds the events that decode, and counts those that do not. */
const folding = () => {
  const watches = new Map<string, RecoveredRows>()
  const lost = { newer: 0, wrong: undefined as string | undefined }
  const each = (row: RecoverRows.RecoveredRow) => {
    const { revision, stream, tag } = row
    const before = watches.get(stream) ?? { watch: initial, revision: 0, read: 0, newest: [] }
    if (revision !== before.revision + 1)
      lost.wrong ??= `${stream} goes from revision ${before.revision} to ${revision}`
    // An event of another aggregate has no Conductor to continue.
    const event = stream.includes("/") ? undefined : decodeEvent(stream, revision, row)
    const known = (eventTags as ReadonlyArray<string>).includes(tag)
    if (event !== undefined && Result.isFailure(event)) {
      if (!known || row.version > Event.versionOf(event.failure.tag as never)) lost.newer++
      else lost.wrong ??= `event ${revision} of ${stream} (${tag}): ${event.failure.problem}`
    }
    watches.set(stream, {
      watch: event !== undefined && Result.isSuccess(event) ? evolve(before.watch, event.success) : before.watch,
      revision,
      read: before.read + 1,
      newest: [...before.newest, `${revision} ${tag}`].slice(-lastTold)
    })
  }
  return { each, lost, watches }
}

/**
 * Settles the launches that only the log knew. An undecided launch is cancelled, and an agent that was launched is
 * reported.
 */
const settled = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings) {
  const fs = yield* FileSystem.FileSystem
  const launcher = yield* Launcher
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(
    fs.readDirectory(path.join(stateDir, "launches")),
    (): ReadonlyArray<string> => []
  )
  const undecided = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length))
  return yield* Effect.forEach(undecided, (id) =>
    Effect.match(launcher.settle(id), {
      onFailure: ({ message }) =>
        wrong("launch", `${id}: ${message}`, "see that no agent of it runs before a new watch is begun"),
      onSuccess: Option.match({
        onNone: () => note("launch", `${id} was undecided: it is cancelled for good`),
        onSome: ({ pid }) => note("launch", `${id} had become process ${pid}`)
      })
    })
  )
})

const placeOf = (project: string) => (project === "" ? "" : ` --project-dir '${project.replaceAll("'", "'\\''")}'`)

/**
 * Says how one unfinished watch can be continued. A live Conductor is watched again, and the session of a dead one is
 * resumed.
 */
const goOn = Effect.fnUntraced(function* ([id, { newest, read, revision, watch }]: readonly [string, RecoveredRows]) {
  const launch = watch.recovery?.launch
  const launched =
    launch === undefined
      ? Option.none()
      : Option.flatten(yield* Effect.option(Launcher.use(({ settle }) => settle(launch.launchId))))
  const conductor = Option.getOrElse(launched, () => watch.conductor)
  const session = Option.isSome(launched) ? (launch?.sessionId ?? "") : watch.sessionId
  const { agent } = yield* Installation
  const condition = conductor === undefined ? "gone" : yield* (yield* Processes).condition(conductor)
  const alive = condition === "running" || condition === "stopped"
  const place = placeOf(watch.project)
  const todo =
    watch.kind === "command"
      ? alive
        ? `process ${conductor?.pid} still runs the command: end it, or let it end, before souffleur run starts another`
        : `souffleur run${place} -- COMMAND: the command itself is in no log`
      : session === ""
        ? "souffleur watch: on a terminal it lists the live sessions"
        : alive
          ? `souffleur watch${place} --pid ${conductor?.pid} --session-id ${session}`
          : `souffleur run${place} -- ${agent.goOn(session)}`
  const who =
    conductor === undefined
      ? "no Conductor is known"
      : `Conductor pid ${conductor.pid}, ${condition}, session ${session}`
  const summary = `${statusLine(watch)}; ${who}; ${read} of ${revision} events read, the last: ${newest.join(", ")}`
  return note(`watch ${id}`, summary, todo)
})

/** Returns the live sessions that can be watched, for a log that names none. */
const live = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const sessions = yield* Effect.orElseSucceed(
    Effect.provide(liveSessions(), [layerAgentFiles(settings), HookFiles.layer(settings.stateDir)]),
    () => []
  )
  return sessions.map(({ pid, project, sessionId }) =>
    note(
      "live session",
      `pid ${pid} ${project}`,
      `souffleur watch${placeOf(project)} --pid ${pid} --session-id ${sessionId}`
    )
  )
})

/**
 * Renames the files into a new folder, the log first. A crash in between thus leaves no log without its newest events.
 */
const move = Effect.fnUntraced(function* ({ stateDir }: ResolvedSettings, present: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const time = iso(yield* Clock.currentTimeMillis).replaceAll(":", "-")
  const folder = path.join(stateDir, "quarantine", time)
  yield* fs.makeDirectory(path.join(stateDir, "quarantine"), { recursive: true, mode: 0o700 })
  // The folder must be new, so that no older quarantine is overwritten.
  yield* fs.makeDirectory(folder, { mode: 0o700 })
  for (const file of present) yield* fs.rename(file, path.join(folder, path.basename(file)))
  for (const changed of [folder, stateDir]) yield* sync(changed)
  return folder
})

/**
 * Moves a damaged log aside, unchanged, and reports its readable part and what to do next (spec:
 * behaviour#damaged-log). A sound log stays. Fails with `NotQuarantined` if a process has the log open, or a souffleur
 * that may be alive owns a watch in it. Fails with the log's own error if the log cannot be used for another reason.
 */
export const quarantine = Effect.fn("Doctor.quarantine")(
  function* (settings: ResolvedSettings) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const file = path.join(settings.stateDir, "souffleur.db")
    const present = yield* Effect.filter(RecoverRows.parts(file), (one) =>
      Effect.orElseSucceed(fs.exists(one), () => false)
    )
    if (present.length === 0) return [passed("event log", "there is none: nothing to move")]
    const holders = yield* RecoverRows.holders(present)
    if (holders.length > 0)
      return yield* new NotQuarantined({
        problem: `process ${holders.join(", ")} has the event log open: end it first`
      })
    const { each, lost, watches } = folding()
    const scratch = fs.makeTempDirectoryScoped({ directory: settings.stateDir, prefix: ".new-" })
    const found = yield* Effect.scoped(
      Effect.flatMap(scratch, (folder) => RecoverRows.recoverRows({ ...Store, path: file }, folder, each))
    ).pipe(Effect.catchTag("SqliteUnusable", (error) => Effect.fail(LogUnusable.ofFile(error))))
    const damage = found.wrong ?? lost.wrong
    if (damage === undefined) {
      const newer = "it holds events of a newer souffleur, which is no damage: use that one"
      return [
        lost.newer > 0
          ? wrong("event log", newer, "nothing is moved")
          : passed("event log", `${file} is sound: nothing to move`)
      ]
    }
    const unfinished = [...watches].filter(([id, { watch }]) => !id.includes("/") && watch.phase !== "Exited")
    const { isDead } = yield* Claims
    for (const [id, { watch }] of unfinished)
      if (watch.owner !== undefined && !(yield* isDead(watch.owner)))
        return yield* new NotQuarantined({
          problem: `souffleur with pid ${watch.owner.process.pid} on ${watch.owner.host} may watch ${id}: end it first`
        })
    const cancelled = yield* settled(settings)
    const folder = yield* move(settings, present)
    const read = [...watches.values()].reduce((all, one) => all + one.read, 0)
    const unread = [...found.streams]
      .filter(([stream]) => !watches.has(stream))
      .map(([stream, newest]) => `${stream} (${newest})`)
    const findings: Array<Finding> = [
      note(
        "event log",
        `${present.map((one) => path.basename(one)).join(", ")} moved to ${folder}: ${damage}`,
        "keep it: it may be repaired"
      ),
      note(
        "events read",
        `${read} events of ${watches.size} watches could be read${unread.length > 0 ? `; lost: ${unread.join(", ")}` : ""}`
      ),
      ...cancelled,
      ...(yield* Effect.forEach(unfinished, goOn))
    ]
    return unfinished.length > 0 ? findings : [...findings, ...(yield* live(settings))]
  },
  (effect, settings) => Effect.provide(Effect.provide(effect, [layerClaims, layerLaunches(settings)]), layerHost)
)
