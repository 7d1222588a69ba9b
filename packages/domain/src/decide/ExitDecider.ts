import { type Decision, ok } from "@souffleur/eventlog"
import { isEarlyEnd } from "../evidence/EndJudgement.ts"
import { limitWait, pauseUntil } from "./LimitWait.ts"
import type { RecoveryCycle } from "../watch/RecoveryCycle.ts"
import type { Watch } from "../watch/Watch.ts"
import type { Baseline } from "../port/Comms.ts"
import { type Progress, progressedSince, quickEndsAfter } from "../evidence/WorkProgress.ts"
import { isLoginRefused, unknownError, unmendableInWords } from "../evidence/Unmendable.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import { plain } from "../PlainText.ts"
import * as Event from "../event/WatchEvent.ts"

/** The attempts before souffleur gives up: failed validations, or ends without progress (spec: behaviour#ends). */
export const attempts = 3

/** Starts the next watcher, in the same mode unless `change` says otherwise. */
export const nextWatcher = (
  watch: Watch,
  at: number,
  change: { readonly awaiting?: boolean; readonly mode?: Watch["mode"] } = {}
) =>
  Event.WatcherStarted.make({
    at,
    watcher: watch.watchersStarted + 1,
    awaiting: change.awaiting ?? watch.awaiting,
    mode: change.mode ?? watch.mode
  })

/** The reason of a recovery that a hold withholds. */
export const heldMessage = 'an operator holds the watch: "souffleur go" lets it go on'
/** Withholds a recovery because of an operator's hold. */
export const withheldByHold = (at: number, { cycle, trigger }: Pick<RecoveryCycle, "cycle" | "trigger">) =>
  Event.RecoveryWithheld.make({ at, cycle, trigger, stage: "hold", message: heldMessage })

const ceilingMessage = ({ ceiling }: Watch): string =>
  `${ceiling?.flag == null ? `the ceiling of ${ceiling?.ceiling} is reached` : `the cap of ${ceiling.ceiling} is used up (${ceiling.flag})`}: "souffleur retry" allows as much again`

/** Says that a program does not confirm the work, in the last line of its words. */
const unconfirmedMessage = ({ unconfirmed }: Watch, rounds: number): string => {
  const last = unconfirmed?.said.trimEnd().split("\n").at(-1) ?? ""
  return `"--until" has not ended with 0 in ${rounds === 1 ? "a round" : `${rounds} rounds`} without progress${last === "" ? "" : `: ${plain(last, 200)}`}`
}

const stopsOnly: ReadonlySet<RecoveryCycle["trigger"]> = new Set(["stop", "ceiling"])

/**
 * Begins the cycle of a trigger. A person's stop launches nothing, whenever it goes on, and neither do a limit of the
 * job, and the end of an agent that the user's program has not looked at yet.
 */
export const cycleOf = (watch: Watch, at: number, trigger: RecoveryCycle["trigger"]) => {
  const cycle = watch.cycles + 1
  return trigger === "unconfirmed" && watch.unconfirmed === undefined
    ? Event.CheckStarted.make({ at, cycle })
    : Event.RecoveryStarted.make({ at, cycle, trigger, purpose: stopsOnly.has(trigger) ? "stop" : "relaunch" })
}

/**
 * Begins a recovery, unless the user delays or forbids it: `--observe`, a hold, a ceiling, quiet hours. A command
 * whose end is unknown waits for a person, as running it twice may harm. Without these the export of the third end
 * without progress is always made. A command has a pause (ms) first, and so has an agent that ends soon after its
 * launch again and again. Work that the user's program does not confirm has a count of its own (`rounds`), after which
 * a person is asked.
 */
export const recoveryOf = (
  watch: Watch,
  at: number,
  { retries, trigger }: Pick<RecoveryCycle, "trigger"> & { readonly retries: number },
  {
    pause = 0,
    quietUntil = null,
    rounds = Infinity,
    unseen = false,
    watcher
  }: Pick<Report, "pause" | "quietUntil" | "rounds" | "unseen" | "watcher">
): ReadonlyArray<Event.WatchEvent> => {
  const cycle = watch.cycles + 1
  const withheld = (stage: (typeof Event.RecoveryWithheld.Type)["stage"], message: string) => [
    Event.RecoveryWithheld.make({ at, cycle, trigger, stage, message }),
    nextWatcher(watch, at)
  ]
  if (watch.observe) return withheld("observe", "only observing: nothing was stopped or launched")
  if (watch.held !== undefined) return [withheldByHold(at, { cycle, trigger }), nextWatcher(watch, at)]
  const next = cycleOf(watch, at, trigger)
  if (next._tag === "CheckStarted" || next.purpose === "stop") return [next]
  if (unseen)
    return withheld(
      "unknown-end",
      'nothing tells how the command ended. "souffleur retry" runs it again, and "souffleur done" says that it is complete'
    )
  if (trigger === "unconfirmed") {
    if (retries >= rounds) return withheld("unconfirmed", unconfirmedMessage(watch, retries))
  } else if (retries >= attempts) return [Event.RecoveryStarted.make({ at, cycle, trigger, purpose: "export" })]
  if (watch.ceiling !== undefined) return withheld("ceiling", ceilingMessage(watch))
  const waiting = (kind: "quiet-hours" | "pause", until: number) => [
    Event.WaitStarted.make({ at, watcher, kind, until, resetsAt: until, trigger }),
    nextWatcher(watch, at)
  ]
  if (quietUntil !== null && quietUntil > at) return waiting("quiet-hours", quietUntil)
  if (pause > 0 && watch.kind === "command") return waiting("pause", pauseUntil(at, retries, pause))
  const quickEnds = quickEndsAfter(watch, at)
  if (pause > 0 && quickEnds > 1 && (trigger === "pid" || isEarlyEnd(trigger)))
    return waiting("pause", pauseUntil(at, quickEnds - 1, pause))
  return [next]
}

/** Ends a running wait: an agent that asks for a recovery of its context has gone on. */
export const goneOn = (watch: Watch, at: number, watcher: number): ReadonlyArray<Event.WatchEvent> =>
  watch.wait === undefined ? [] : [Event.WaitEnded.make({ at, watcher, how: "asked" })]

type Report = Extract<WatchCommand, { readonly _tag: "ReportExit" }>

/** Tells how a completion was seen. Without comms, the process ended well by itself. */
const completedBy = ({ comms, kind }: Watch) => (comms !== null ? "watcher" : kind === "command" ? "exit" : "turn")

/** Counts the generations in a row that ended without progress, for any reason (spec: behaviour#retries). */
export const retriesAfter = (watch: Watch, progress: Progress): number =>
  progressedSince(watch, progress) ? 0 : watch.retries + 1

/** Starts a new generation from another process of the same work, measured from now on. */
export const adopted = (
  watch: Watch,
  at: number,
  {
    baseline,
    forced = false,
    ...conductor
  }: Pick<typeof Event.ConductorAdopted.Type, "by" | "conductor" | "print" | "sessionId"> & {
    readonly baseline: Baseline
    readonly forced?: boolean
    readonly agent?: string | null
    readonly launchId?: string | null
  }
): ReadonlyArray<Event.WatchEvent> => [
  Event.ConductorAdopted.make({ at, generation: watch.generation + 1, forced, ...conductor, ...baseline }),
  nextWatcher(watch, at, { awaiting: false, mode: "normal" })
]

/** Withholds the recovery of an agent that has used what its user gave it, which is no death. */
const capped = (watch: Watch, at: number): Decision<Event.WatchEvent> =>
  ok(
    Event.RecoveryWithheld.make({
      at,
      cycle: watch.cycles + 1,
      // A turn that was ended from outside is continued in the same session.
      trigger: "limit",
      stage: "ceiling",
      message: ceilingMessage(watch)
    }),
    nextWatcher(watch, at)
  )

/** Decides the report of a watcher that ends, by its exit (spec: behaviour#exits). */
export const decideExit = (watch: Watch, command: Report): Decision<Event.WatchEvent> => {
  const { evidence, exit, now: at, seen: lookedAt = Infinity, tasks, watcher } = command
  // An operator's word since may mean that time has passed: what was seen before it may be over.
  if (watcher !== watch.watcher?.watcher || lookedAt < watch.stanceSince) return ok()
  const seen = { at, watcher, evidence, taskCount: tasks?.count ?? null, taskFingerprint: tasks?.fingerprint ?? null }
  switch (exit._tag) {
    case "Complete":
      return ok(
        command.rounds !== undefined && watch.comms === null && watch.kind === "agent" && !watch.observe
          ? Event.CheckStarted.make({ at, cycle: watch.cycles + 1 })
          : Event.ConductorCompleted.make({ at, by: completedBy(watch) })
      )
    case "Lingering":
      return watch.observe || (watch.standby ?? watch.held) !== undefined
        ? ok()
        : ok(Event.EndingStarted.make({ at, cycle: watch.cycles + 1, since: exit.since }))
    case "Dead": {
      if (watch.standby !== undefined) return ok()
      // It ended itself, because it had used what its user gave it.
      if (watch.ceiling?.flag != null && evidence.end?._tag === "Exited") return capped(watch, at)
      // A death may be noticed long after it.
      const retries = retriesAfter(watch, { tasks, now: command.ranUntil ?? at })
      return ok(
        Event.ConductorDied.make({ ...seen, reason: exit.reason, retries }),
        ...recoveryOf(watch, at, { trigger: exit.reason, retries }, command)
      )
    }
    case "ContextRecovery": {
      if (watch.standby !== undefined) return ok()
      const retries = retriesAfter(watch, command)
      return ok(
        Event.ContextRecoveryRequested.make({ ...seen, retries }),
        ...goneOn(watch, at, watcher),
        ...recoveryOf(watch, at, { trigger: "handoff", retries }, command)
      )
    }
    case "ExitRequested": {
      if (watch.standby !== undefined) return ok()
      const message = "the Conductor asked for its user, and ended"
      const cycle = watch.cycles + 1
      return ok(
        Event.RecoveryWithheld.make({ at, cycle, trigger: "pid", stage: "exit-requested", message }),
        nextWatcher(watch, at)
      )
    }
    case "TurnEnded": {
      if (watch.standby !== undefined) return ok()
      const retries = retriesAfter(watch, command)
      return ok(
        Event.TurnEnded.make({ ...seen, retries }),
        ...recoveryOf(watch, at, { trigger: "turn-ended", retries }, command)
      )
    }
    case "EndedEarly": {
      if (watch.standby !== undefined) return ok()
      const retries = retriesAfter(watch, command)
      const { leftRunning, reason } = exit
      return ok(
        Event.EndedEarly.make({ ...seen, reason, leftRunning, retries }),
        ...recoveryOf(watch, at, { trigger: reason, retries }, command)
      )
    }
    case "ContextExhausted": {
      if (watch.standby !== undefined) return ok()
      const retries = retriesAfter(watch, command)
      return ok(
        Event.ContextExhausted.make({ ...seen, retries }),
        ...recoveryOf(watch, at, { trigger: "context", retries }, command)
      )
    }
    case "Unmendable": {
      if (watch.standby !== undefined) return ok()
      if (exit.reason === "cap" && watch.ceiling !== undefined) return capped(watch, at)
      // The trigger of a turn that the service ended: the same session continues it, once a person says so.
      const withheld = { at, cycle: watch.cycles + 1, trigger: "limit" as const }
      return ok(
        exit.reason === "other"
          ? Event.RecoveryWithheld.make({ ...withheld, stage: "unknown-error", message: unknownError })
          : Event.RecoveryWithheld.make({ ...withheld, stage: exit.reason, message: unmendableInWords[exit.reason] }),
        nextWatcher(watch, at)
      )
    }
    case "LoginRenewed": {
      const { standby } = watch
      if (!isLoginRefused(standby)) return ok()
      const { headless, retries } = watch
      return ok(
        Event.RecoveryRetried.make({ at, cycle: standby.cycle, by: "login", headless }),
        ...recoveryOf(watch, at, { trigger: standby.trigger, retries }, command)
      )
    }
    case "Limited": {
      if (watch.standby !== undefined) return ok()
      const wait = limitWait(at, watch.waits, exit, command.margin)
      return ok(
        Event.WaitStarted.make({ at, watcher, kind: exit.kind, ...wait, trigger: "limit", turnAt: exit.turnAt }),
        nextWatcher(watch, at)
      )
    }
    case "WaitOver": {
      if (watch.wait === undefined) return ok()
      const ended = Event.WaitEnded.make({ at, watcher, how: exit.how })
      // A wait is no death, so the count of deaths stays.
      return ok(
        ended,
        ...(exit.how === "over"
          ? recoveryOf(watch, at, { trigger: watch.wait.trigger, retries: watch.retries }, { ...command, pause: 0 })
          : [nextWatcher(watch, at)])
      )
    }
    case "Returned": {
      if (watch.standby === undefined) return ok()
      const { baseline, conductor, print } = exit
      return ok(...adopted(watch, at, { by: "heartbeat", conductor, print, baseline, sessionId: watch.sessionId }))
    }
    case "SessionIdFound": {
      const { holder, sessionId } = exit
      if (!watch.awaiting && sessionId === watch.sessionId) return ok()
      const found = Event.SessionIdFound.make({ at, watcher, sessionId })
      if (holder === "the same") return ok(found, nextWatcher(watch, at, { awaiting: false }))
      return holder === "unknown"
        ? ok(
            found,
            Event.ConductorUnresolved.make({ at, watcher, sessionId }),
            nextWatcher(watch, at, { awaiting: false, mode: "heartbeat-only" })
          )
        : ok(
            found,
            Event.ConductorResolved.make({ at, watcher, ...holder }),
            nextWatcher(watch, at, { awaiting: false })
          )
    }
    case "Resolved":
      return watch.mode === "heartbeat-only" && watch.standby === undefined
        ? ok(Event.ConductorResolved.make({ at, watcher, ...exit.holder }), nextWatcher(watch, at, { mode: "normal" }))
        : ok()
  }
}
