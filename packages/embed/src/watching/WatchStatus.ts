import {
  Agent,
  Comms,
  type CommsUnavailable,
  type Condition,
  type LimitAhead,
  limitsAhead,
  type HandoffReceipt,
  heartbeatAge,
  isOver,
  type Labels,
  type Launcher,
  parseTime,
  Processes,
  type ResolvedSettings,
  see,
  type StateWord,
  turnInWords,
  type Watch,
  type Zone
} from "@souffleur/domain"
import { agentBeats, Beats } from "@souffleur/eventlog"
import { launchOutput, lookAsWatched, type TrustedFiles } from "@souffleur/process"
import { Clock, Duration, Effect, type Layer, Option, type Path, Result } from "effect"
import { isUntaken, type Need, standingOf, withFailed } from "../explain/StatusLine.ts"
import { type Job, watchJob, unreadableInWords } from "../jobs/Job.ts"
import { titled } from "../jobs/JobTitle.ts"
import type { NamedWatch } from "./FindWatch.ts"
import { type TaskNow, tasksNow } from "../report/TasksNow.ts"

/**
 * A watch as it is now, with a look at its processes, its comms and its agent's files. Ages are in milliseconds.
 * `null`: unknown, or not looked for because the watch has ended.
 */
export interface WatchStatus extends NamedWatch {
  /** It as a list shows it. */
  readonly job: Job
  readonly state: StateWord
  /** See `Job.title`. */
  readonly title: string | null
  readonly labels: Labels
  /** See `Job.agent`. */
  readonly agent: string | null
  /** Its need of a person; `null`: none. */
  readonly need: Need | null
  /** The state in a few words for a person, which may change. */
  readonly standing: string
  /** The condition of the Conductor's process. */
  readonly conductor: Condition | null
  /** The condition of the souffleur that looks after it. `null`: there is none. */
  readonly owner: Condition | null
  /** The age of the Conductor's heartbeat in comms. */
  readonly heartbeatAge: number | null
  /** When a Conductor whose heartbeat stays as it is counts as silent, epoch ms. `null` without a heartbeat. */
  readonly deadline: number | null
  /** The last beat of the agent itself, by the server of tools, epoch ms. */
  readonly agentBeatAt: number | null
  /** The age of the watcher's last beat. */
  readonly beatAge: number | null
  /** The tokens of the conversation as the service counted them, and their limit. */
  readonly context: { readonly tokens: number; readonly window: number | null; readonly model: string } | null
  /** Its limits that are not reached, and how long each lasts; `[]`: none is known. */
  readonly limits: ReadonlyArray<LimitAhead>
  /** The act of the agent by its records, such as `runs the tool Bash, for 8 s`. */
  readonly doing: string | null
  /** The reason why a Conductor without a heartbeat is left alone. */
  readonly deferred: NonNullable<Watch["deferred"]> | null
  /** The tasks in its comms; `[]`: there are none, or comms is out. */
  readonly tasks: ReadonlyArray<TaskNow>
  readonly comms: "none" | "not asked" | "ok" | "out"
  /** The reason why comms is out. */
  readonly commsOut: CommsUnavailable["reason"] | null
}

/** The settings of a watch, and how its agent, its launches and its comms are looked at. */
export interface WatchLook<E, R> {
  readonly settings: ResolvedSettings
  readonly look: Layer.Layer<Agent | Comms | Launcher, E, R>
  /** The zone of the times for a person; UTC by default. */
  readonly zone?: Zone
}

/** Asks comms and the agent's files. */
const asked = Effect.fnUntraced(function* (watch: Watch, settings: ResolvedSettings) {
  const { launchId, sessionId } = watch
  const comms = yield* Comms
  const agent = yield* Agent
  yield* lookAsWatched(watch)
  const signs = yield* agent.signs(sessionId, yield* launchOutput(launchId))
  return {
    limits: yield* limitsAhead(watch, settings, Option.getOrUndefined(signs)),
    taken: launchId !== undefined && isUntaken(watch) ? yield* agent.handoffTaken(sessionId, launchId) : Option.none(),
    snapshot: yield* Effect.result(comms.snapshot),
    tasks: yield* tasksNow(watch),
    signs
  }
})

/** Returns a watch whose hand-off was taken already, as its watcher will tell it. */
const withTaken = (watch: Watch, taken: Option.Option<HandoffReceipt>): Watch =>
  Option.match(taken, {
    onNone: () => watch,
    onSome: ({ at, context }) => ({
      ...watch,
      taken: { at, contextTokens: context?.tokens ?? null, contextWindow: context?.window ?? null }
    })
  })

/** Returns the status of a watch. A watch that has ended is not looked at, but for its processes. */
export const watchStatus = Effect.fn("watchStatus")(function* <E, R>(
  named: NamedWatch,
  { look, settings, zone }: WatchLook<E, R>
): Effect.fn.Return<WatchStatus, E, R | Beats | Path.Path | Processes | TrustedFiles> {
  const { id, unreadable, watch: logged } = named
  const beats = yield* Beats
  const processes = yield* Processes
  const now = yield* Clock.currentTimeMillis
  const over = logged.phase === "Exited"
  const beat = over ? Option.none() : yield* beats.last(id)
  const seen = over ? undefined : yield* Effect.provide(asked(logged, settings), look)
  const signs = seen === undefined ? undefined : Option.getOrUndefined(seen.signs)
  const watch = withFailed(withTaken(logged, seen?.taken ?? Option.none()), signs?.turn)
  const snapshot = seen === undefined ? Option.none() : Result.getSuccess(seen.snapshot)
  const said = over ? Option.none() : yield* beats.last(agentBeats(id))
  const row = Option.flatMap(snapshot, ({ conductor }) => conductor)
  const deadline = Option.flatMap(row, ({ lastHeartbeat }) => parseTime(lastHeartbeat)).pipe(
    Option.map((at) => Math.max(at, watch.launchedAt) + Duration.toMillis(settings.heartbeatStaleAfter)),
    Option.getOrNull
  )
  const heartbeat = row.pipe(
    Option.map(({ lastHeartbeat }) => heartbeatAge(see(undefined, lastHeartbeat, now), now, 0) ?? null),
    Option.getOrElse(() => null)
  )
  // The reason of a deferred kill is shown while the heartbeat is too old.
  const silent =
    (watch.deferred?.until ?? 0) > now &&
    (heartbeat === null || heartbeat > Duration.toMillis(settings.heartbeatStaleAfter))
  const owner = watch.owner === undefined ? null : yield* processes.condition(watch.owner.process)
  const owned = owner !== null && !isOver(owner)
  const listed = yield* titled(watchJob({ ...named, watch }, owned), logged)
  const standing = unreadable === undefined ? standingOf(watch, owned, silent, zone) : unreadableInWords(unreadable)
  const { agent, labels, need, state, title } = listed
  const context = signs?.context
  return {
    ...named,
    job: { ...listed, standing },
    title,
    labels,
    agent,
    state,
    need,
    standing,
    conductor: watch.conductor === undefined ? null : yield* processes.condition(watch.conductor),
    owner,
    heartbeatAge: heartbeat,
    deadline,
    agentBeatAt: Option.match(said, { onNone: () => null, onSome: ({ at }) => at }),
    beatAge: Option.match(beat, { onNone: () => null, onSome: ({ at }) => now - at }),
    context:
      context === undefined ? null : { tokens: context.tokens, window: context.window ?? null, model: context.model },
    limits: seen?.limits ?? [],
    doing: signs?.turn === undefined ? null : turnInWords(signs.turn, now),
    deferred: silent && watch.deferred !== undefined ? watch.deferred : null,
    tasks: seen?.tasks ?? [],
    comms: watch.comms === null ? "none" : over ? "not asked" : Option.isSome(snapshot) ? "ok" : "out",
    commsOut: seen !== undefined && Result.isFailure(seen.snapshot) ? seen.snapshot.failure.reason : null
  }
})
