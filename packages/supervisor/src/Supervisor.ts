import {
  type AlreadyWatched,
  type Claimable,
  Claims,
  claimsOf,
  defectOf,
  EventLog,
  evolve,
  initial,
  type Role,
  rolesOf,
  Settings,
  tellDefect,
  untraced,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Beats, type LogError, type Refused } from "@souffleur/eventlog"
import { Array as Arr, Cause, Clock, Deferred, Effect, Exit, FiberMap, Option, Runtime, Schema, Stream } from "effect"
import { Roles } from "./Roles.ts"
import * as WatchMetrics from "./WatchMetrics.ts"

/** Another souffleur took the watch over: this one ends without an event in the log (spec: behaviour#ends). */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", { fence: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message(): string {
    return "another souffleur has taken this watch over"
  }
}

/**
 * Supervises one watch under a fence. It follows the events and starts and stops the roles by the difference between
 * two states. Starts come before stops, and a role that died stays dead until an event replaces it.
 *
 * Counts what happens in {@link WatchMetrics}.
 *
 * Returns the watch when it has ended. Fails with `AlreadyWatched` when another state folder has claimed the Conductor,
 * or the session, of a new generation first. Fails with `Fenced` when another souffleur owns the watch, and with the
 * error of the log.
 *
 * @example
 * ```ts
 * import { own, Roles, supervise } from "@souffleur/supervisor"
 * import { Effect } from "effect"
 *
 * const lookAfter = Effect.fn("lookAfter")(function* (id: string) {
 *   const { fence, ref } = yield* own(id)
 *   const watch = yield* supervise(ref, fence)
 *   return watch.end
 * }, Effect.scoped)
 *
 * // Needs the ports, each as a layer: the log, the agent, the launcher, the processes and so on.
 * const program = lookAfter("remindly-3f2a").pipe(Effect.provide(Roles.layer))
 * ```
 */
export const supervise = Effect.fn("Supervisor.supervise")(function* (ref: WatchRef, fence: number) {
  const beats = yield* Beats
  const claims = yield* Claims
  const log = yield* EventLog
  const roles = yield* Roles
  const settings = yield* Settings
  // Released when every role that acts on them has ended.
  const claimed = yield* Effect.acquireRelease(
    Effect.sync(() => new Set<Claimable>()),
    (all) => Effect.forEach(all, claims.release)
  )
  const fibers = yield* FiberMap.make<Role>()
  const broken = yield* Deferred.make<never, AlreadyWatched | LogError>()
  // The end of souffleur gets one second, and an act in progress may take longer. So the owner is marked as gone first.
  // Until the process has ended, its claims keep every other souffleur away.
  yield* Effect.addFinalizer((exit) =>
    Exit.hasInterrupts(exit) ? Effect.ignore(ref.dispatch({ _tag: "Leave" })) : Effect.void
  )

  /** Handles the end of a role. The self-monitor looks after the watcher; this looks after every other role. */
  const ended = Effect.fnUntraced(function* (role: Role, watch: Watch, exit: Exit.Exit<void, Refused | LogError>) {
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
    const error = Exit.findErrorOption(exit)
    // A role asked for something forbidden. That is a bug of souffleur, though the log refused it. Every other refusal
    // says that the watch continued without this role, as the log decided.
    const forbidden =
      error._tag === "Some" && error.value._tag === "Refused" && error.value.reason === "never"
        ? error.value
        : undefined
    if (error._tag === "Some" && forbidden === undefined) {
      if (error.value._tag !== "Refused") yield* Deferred.fail(broken, error.value)
      return
    }
    yield* tellDefect(`${role} died`, exit.cause)
    const defect = defectOf(exit.cause)
    // The death is counted at once. The self-monitor starts the next watcher later, if there is to be one.
    if (role.startsWith("watcher/") && watch.watcher !== undefined) {
      yield* ref.dispatch({ _tag: "ReportRoleFailed", role: "watcher", number: watch.watcher.watcher, defect })
    } else if (role.startsWith("monitor/") && watch.monitor !== undefined) {
      const { monitor } = watch.monitor
      yield* ref.dispatch({ _tag: "ReportRoleFailed", role: "self-monitor", number: monitor, defect })
      yield* Effect.sleep(settings.monitorInterval)
      yield* ref.dispatch({ _tag: "ReportSelfMonitorLost", monitor })
    } else if (role.startsWith("recovery/") && watch.recovery !== undefined) {
      yield* ref.dispatch({
        _tag: "FailClosed",
        cycle: watch.recovery.cycle,
        stage: "recovery",
        message: forbidden?.message ?? "a defect in souffleur: see its error output"
      })
    } else if (role.startsWith("bootstrap/")) {
      yield* Deferred.failCause(broken, Cause.die(Cause.squash(exit.cause)))
    }
  })
  const unlessRefused = Effect.catch((error: Refused | LogError) =>
    error._tag === "Refused" ? Effect.void : Effect.asVoid(Deferred.fail(broken, error))
  )
  // Not a finalizer: the handling of a death may wait, and must not delay the end of the watch.
  const run = (role: Role, watch: Watch) =>
    Effect.flatMap(Effect.exit(roles.run(role, watch, ref)), (exit) => ended(role, watch, exit)).pipe(unlessRefused)

  /**
   * Looks after the first watcher until its self-monitor runs. It gives the watcher the same time as the first look of
   * a self-monitor.
   */
  const settling = Effect.fnUntraced(function* ({ watcher }: NonNullable<Watch["watcher"]>) {
    yield* Effect.sleep(settings.monitorInitialWait)
    const { monitor, phase } = yield* ref.state
    if (phase !== "Settling") return
    const now = yield* Clock.currentTimeMillis
    const beat = yield* beats.last(ref.id)
    const beatAge = Option.match(beat, { onNone: () => null, onSome: ({ at }) => now - at })
    yield* ref.dispatch({ _tag: "ReportWatcherDead", monitor: monitor?.monitor, watcher, beatAge })
  })

  /**
   * Claims, and watches a Conductor that cannot be claimed too. The log has a failed claim once, as long as it lasts. A
   * full disk may also hit the log. That does not end the watch, and the failure is recorded when the log works again.
   */
  const claim = Effect.fnUntraced(function* (all: Iterable<Claimable>) {
    const failed = yield* Effect.forEach(all, (claimable) =>
      claims.claim(claimable).pipe(
        Effect.as(null),
        Effect.catchTag("ClaimFailed", ({ message }) => Effect.succeed(message))
      )
    )
    yield* Effect.ignore(ref.dispatch({ _tag: "ReportClaim", message: failed.find((why) => why !== null) ?? null }))
  })
  /** Claims again at each interval: claims that failed, and claims whose file or folder has vanished. */
  const claimedStill = Effect.sleep(settings.monitorInterval).pipe(
    Effect.andThen(Effect.suspend(() => untraced(claim([...claimed])))),
    Effect.forever,
    Effect.catchTag("AlreadyWatched", (error) => Deferred.fail(broken, error))
  )

  const act = Effect.fnUntraced(function* (before: Watch, after: Watch) {
    const [was, is] = [rolesOf(before), rolesOf(after)]
    // Each generation is claimed before any role acts on it. The souffleur that claims too late leaves it to the other
    // state folder.
    const same = after.conductor === before.conductor && after.sessions === before.sessions
    if (!same && after.conductor !== undefined) {
      for (const claimable of Arr.difference(claimsOf(after), claimsOf(before))) claimed.add(claimable)
      yield* claim([...claimed])
    }
    if (after.phase === "Settling" && after.watcher !== undefined && after.watcher !== before.watcher)
      yield* Effect.forkScoped(unlessRefused(settling(after.watcher)))
    for (const role of is) if (!was.includes(role)) yield* FiberMap.run(fibers, role, run(role, after))
    for (const role of was) if (!is.includes(role)) yield* FiberMap.remove(fibers, role)
  })

  const now = yield* ref.state
  if (now.phase === "Exited") return now
  if (now.fence !== fence) return yield* new Fenced({ fence: now.fence })
  yield* WatchMetrics.live
  yield* act(initial, now)
  yield* Effect.forkScoped(claimedStill)
  const following = log.changes(ref.id, now.revision).pipe(
    Stream.mapAccum(
      () => now,
      (before, { event }) => {
        const after = evolve(before, event)
        return [after, [{ event, before, after }]] as const
      }
    ),
    Stream.tap(({ before, event }) => WatchMetrics.count(event, before)),
    Stream.tap(({ after, before }) => act(before, after)),
    Stream.map(({ after }) => after),
    Stream.takeUntil((watch) => watch.phase === "Exited" || watch.fence !== fence),
    Stream.runLast
  )
  const last = yield* Effect.raceFirst(following, Deferred.await(broken))
  const watch = last._tag === "Some" ? last.value : now
  return watch.fence === fence ? watch : yield* new Fenced({ fence: watch.fence })
}, Effect.scoped)
