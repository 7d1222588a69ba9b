import {
  brokenOff,
  dueWithin,
  guard,
  guardFrom,
  guardianOf,
  isOver,
  load,
  momentNow,
  type ProcessIdentity,
  Processes,
  Settings,
  silentAfter,
  type WatchRef
} from "@souffleur/domain"
import { Beats, Cursor } from "@souffleur/eventlog"
import { guardianNamed, type GuardianOrder, startHeadless } from "@souffleur/node"
import { commsPublisher, notifier, restore, type Restoration } from "@souffleur/supervisor"
import { Effect, FileSystem, Option, Path, Schedule } from "effect"
import { remark } from "../Remark.ts"
import { type CommandLine, Installation } from "../world/Installation.ts"
import { Departure } from "./Departure.ts"
import { drainTimeout } from "./Undelivered.ts"

/** The command that brings a watch back. */
export interface Revival {
  /** Returns the command for the watch of this id. The guardian appends `<cause>:<fence>`, such as `died:3`. */
  readonly line: (id: string) => CommandLine
  /** The folder in which it runs, absolute. */
  readonly cwd: string
}

/** Milliseconds between two looks of souffleur and its guardian at each other. */
const pollMillis = 1000
/** Milliseconds until a killed process that does not end is killed again. */
const killAgainAfter = 60_000

/** Starts a guardian by its own line, and returns its pid. */
const startGuardian = Effect.fnUntraced(function* (id: string, { cwd, line }: Revival, own: CommandLine) {
  const { variables } = yield* Installation
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const settings = yield* Settings
  const folder = path.join(settings.stateDir, "guardians")
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  const order: GuardianOrder = {
    database: path.join(settings.stateDir, "souffleur.db"),
    watch: id,
    line: line(id),
    output: path.join(folder, `${id}.out`),
    silentAfter: silentAfter(settings),
    every: pollMillis
  }
  return yield* startHeadless(
    { line: [...own, JSON.stringify(order)], environment: variables },
    { cwd, output: order.output }
  )
})

/**
 * Returns what starts a guardian of a watch, and returns its pid. Fails with `NoGuardian` where none can be had.
 * `revival`: what the guardian runs.
 */
export const guardianOfWatch = Effect.fnUntraced(function* (revival: Revival) {
  const { guardianLine } = yield* Installation
  const own = yield* guardianLine
  return (id: string) => startGuardian(id, revival, own)
})

/** Kills this process by its identity, and waits up to 10 seconds for its end. `false`: it hangs in the kernel. */
const end = Effect.fnUntraced(function* (identity: ProcessIdentity) {
  const processes = yield* Processes
  yield* Effect.ignore(processes.signal(identity, "SIGKILL"))
  return Option.isSome(yield* Effect.timeoutOption(processes.untilOver(identity, "20 millis"), "10 seconds"))
})

/** Returns whether a watch has ever had a guardian. */
export const hadGuardian = Effect.fn("hadGuardian")(function* (id: string) {
  const beats = yield* Beats
  return Option.isSome(yield* beats.last(guardianOf(id)))
})

/** Returns whether the newest guardian of a watch runs. */
export const hasGuardian = Effect.fn("hasGuardian")(function* (id: string) {
  const beats = yield* Beats
  const processes = yield* Processes
  const guardian = Option.map(yield* beats.last(guardianOf(id)), ({ by }) => guardianNamed(by))
  return Option.isSome(guardian) && guardian.value !== undefined && !isOver(yield* processes.condition(guardian.value))
})

/**
 * Keeps a guardian beside this souffleur, by the guardian's own rule (spec: behaviour#guardian). It starts a guardian
 * where none is left. It kills a silent one, checked by its identity, and starts another only after that one is gone.
 * After three failed starts it warns and stops. A full disk is neither silence nor a failed start. The log has each
 * kill before it happens, unless the guardian itself blocks the log.
 */
export const guarded = Effect.fn("guarded")(function* <E, R>(
  { id, dispatch }: WatchRef,
  begin: Effect.Effect<number, E, R>
) {
  const beats = yield* Beats
  const processes = yield* Processes
  const settings = yield* Settings
  let last = yield* momentNow
  let state = guardFrom(0, last.wall)
  let started: ProcessIdentity | undefined
  /** The guardian that beats. */
  let known: ProcessIdentity | undefined
  /** Records the end in the log, then kills the process. */
  const ended = Effect.fnUntraced(function* (process: ProcessIdentity, message: string) {
    yield* Effect.catchIf(
      dispatch({ _tag: "EndProcess", what: "guardian", process, message }),
      (error) => error._tag !== "Refused",
      (error) =>
        Effect.logWarning(`the guardian with pid ${process.pid} is killed without a word in the log: ${error._tag}`)
    )
    return yield* end(process)
  })
  const look = Effect.gen(function* () {
    const now = yield* momentNow
    // On a full disk no guardian can beat, and none can be started.
    const full = yield* beats.full
    const late = full || brokenOff(last, now, dueWithin(pollMillis, silentAfter(settings)))
    last = now
    const beat = Option.getOrUndefined(yield* beats.last(guardianOf(id)))
    const guardian = beat === undefined ? undefined : guardianNamed(beat.by)
    known = guardian
    const condition = guardian === undefined ? "gone" : yield* processes.condition(guardian)
    // The pid of a guardian plays the part of an owner's fence: another pid is another guardian.
    const owner = { fence: condition === "gone" ? state.fence : (guardian?.pid ?? 0), condition }
    const running = started !== undefined && !isOver(yield* processes.condition(started))
    const sight = {
      now: now.wall,
      late,
      owner,
      beatAt: beat?.at ?? null,
      started: running ? ("running" as const) : full ? ("shut out" as const) : ("ended" as const)
    }
    const [after, act] = guard(state, sight, silentAfter(settings))
    const before = state
    state = after
    if (act._tag === "GiveUp") {
      yield* Effect.logWarning("a guardian could not be started three times: no guardian looks after this souffleur")
      return true
    }
    if (act._tag === "EndStarted" && started !== undefined) yield* ended(started, "it was started, and never beat")
    if (act._tag !== "Restore") return false
    if (
      guardian !== undefined &&
      act.reason === "silent" &&
      !(yield* ended(guardian, "it has not beaten for too long"))
    ) {
      yield* Effect.logWarning(
        `the guardian with pid ${guardian.pid} is silent, was killed and does not end: it is killed again in a minute, and no other is started meanwhile`
      )
      state = { ...before, notBefore: now.wall + killAgainAfter }
      return false
    }
    const pid = yield* Effect.orElseSucceed(begin, () => 0)
    started = Option.getOrUndefined(yield* processes.find(pid))?.identity
    return false
  })
  // `Refused`: the watch has ended, or another souffleur has it, with a guardian of its own.
  const guarding = Effect.catchTag(look, "Refused", () => Effect.succeed(true))
  const kept = Effect.repeat(guarding, { until: (over) => over, schedule: Schedule.spaced(pollMillis) })
  // Another program may block the log, so that it has no goodbye. A guardian would take that for a death, so it is
  // ended here.
  const dismissed = Effect.andThen(
    yield* Departure,
    Effect.suspend(() =>
      Effect.forEach([known, started], (one) =>
        one === undefined ? Effect.void : Effect.ignore(processes.signal(one, "SIGTERM"))
      )
    )
  )
  yield* Effect.raceFirst(kept, dismissed)
})

/** Delivers all messages and notices for a person, or as many as fit into the drain timeout. */
const alert = Effect.fnUntraced(function* (id: string, project: string) {
  const cursor = yield* Cursor
  const { revision } = yield* load(id)
  const published = Effect.map(cursor.position(id), (one) => one >= revision)
  const heard = Effect.repeat(published, { until: (yes) => yes, schedule: Schedule.spaced("100 millis") })
  const messages = Effect.raceFirst(heard, Effect.andThen(commsPublisher(id), Effect.never))
  const telling = Effect.all([messages, notifier(id, project, { until: revision })], { concurrency: 2 })
  yield* Effect.timeoutOption(telling, drainTimeout)
})

/**
 * Takes the watch in place of a souffleur that died or fell silent. `false`: it is no longer needed, or it was tried
 * too often.
 */
export const restored = Effect.fn("GuardianKeeper.restored")(function* (
  id: string,
  restoration: Restoration,
  project: string
) {
  if (yield* restore(id, restoration)) return true
  const { revision } = yield* load(id)
  yield* remark("info", `watch ${id} is not taken: see "souffleur log ${id}", revision ${revision}`)
  yield* alert(id, project)
  return false
})
