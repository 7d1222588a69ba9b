import { agentAtWork, epochOf, highest, iso, urgentFirst } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { limitJson, taskJson } from "@souffleur/embed/internal"

/**
 * Returns the status of one watch for a program. Ages are in milliseconds, times in ISO 8601 UTC, and `null` is what is
 * unknown or does not apply. Programs may rely on the keys, but not on `standing`, which is a sentence for people.
 */
export const statusJson = (seen: WatchStatus) => {
  const { id, unreadable, watch } = seen
  return {
    watch: id,
    title: seen.title,
    labels: seen.labels,
    project: watch.project,
    phase: watch.phase,
    state: seen.state,
    state_since: seen.job.since === null ? null : iso(seen.job.since),
    /** Why it waits for a person, and the command to type next. */
    need: seen.need,
    standing: seen.standing,
    unreadable: unreadable === undefined ? null : { revision: unreadable.revision, why: unreadable.problem },
    generation: watch.generation,
    agent: agentAtWork(watch) ?? null,
    conductor: {
      pid: watch.conductor?.pid ?? watch.pid,
      condition: seen.conductor,
      alive: seen.conductor === "running" || seen.conductor === "stopped",
      session_id: watch.sessionId,
      heartbeat_age_ms: seen.heartbeatAge,
      /** What its own records say that it does. */
      doing: seen.doing,
      model: seen.context?.model ?? null,
      context_tokens: seen.context?.tokens ?? null,
      context_window: seen.context?.window ?? null,
      waits_for: watch.person?.for ?? null
    },
    held_since: watch.held === undefined ? null : iso(watch.held.since),
    wait: watch.wait === undefined ? null : { kind: watch.wait.kind, until: iso(watch.wait.until) },
    /** Why it is left alone although its heartbeat is too old. */
    deferred: seen.deferred === null ? null : { ...seen.deferred, until: iso(seen.deferred.until) },
    ceiling: watch.ceiling ?? null,
    /** How long each limit lasts that is not reached. */
    limits: seen.limits.map(limitJson),
    /** `file_asks_for`: the keys by which the config file asks for more than is pinned. */
    permission: { ceiling: highest(watch), file_asks_for: watch.overreach?.keys ?? [] },
    standby: watch.standby === undefined ? null : { stage: watch.standby.stage, message: watch.standby.message },
    /** `taken_at` stays `null` until the successor has answered. */
    handoff:
      watch.generation > 1 && watch.launchId !== undefined
        ? { launch: watch.launchId, taken_at: watch.taken === undefined ? null : iso(watch.taken.at) }
        : null,
    souffleur_beat_age_ms: seen.beatAge,
    /** The tasks in its comms. */
    tasks: seen.tasks.map(taskJson),
    comms: seen.comms,
    comms_out: seen.commsOut,
    retries: watch.retries,
    revision: watch.revision,
    last_event_at: iso(watch.lastEventAt),
    last_export: watch.lastExport,
    owner: watch.owner === undefined ? null : { ...watch.owner.process, host: watch.owner.host, condition: seen.owner }
  }
}

type StatusJson = ReturnType<typeof statusJson>

/** Orders statuses by the need of a person. */
export const inOrder = (all: ReadonlyArray<StatusJson>): ReadonlyArray<StatusJson> =>
  urgentFirst(all, ({ last_event_at, state }) => ({ state, at: epochOf(last_event_at) ?? 0 }))
