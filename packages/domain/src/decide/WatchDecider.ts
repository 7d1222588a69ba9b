import { Equal, Predicate, Result } from "effect"
import { decideCycle } from "./CycleDecider.ts"
import { type Decision, no, ok } from "@souffleur/eventlog"
import { adopted, attempts, cycleOf, decideExit, nextWatcher } from "./ExitDecider.ts"
import { decideFleetWord } from "./FleetWordDecider.ts"
import { decideGuard } from "./GuardDecider.ts"
import { decideHandoff } from "./HandoffDecider.ts"
import { decideGo, decideHold } from "./HoldDecider.ts"
import { isTold } from "../evidence/LimitAhead.ts"
import { maxSilentTasks } from "../evidence/Heartbeat.ts"
import { leastPin } from "../settings/Pin.ts"
import { noNote } from "../event/JobNote.ts"
import { abovePin, decidePin } from "./PinDecider.ts"
import { decidePress, isAboutButtons } from "../phone/WatchPress.ts"
import { decideRetry } from "./RetryDecider.ts"
import { decideRoleFailed } from "./RoleDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import { isUnwatched } from "../watch/WatchRole.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Returns the export of the running recovery, for a person who takes over; `null`: there is none. */
const exportOf = (watch: Watch): string | null => {
  for (const step of Object.values(watch.recovery?.steps ?? {})) {
    if (
      step._tag === "Succeeded" &&
      Predicate.hasProperty(step.outcome, "path") &&
      Predicate.isString(step.outcome.path)
    )
      return step.outcome.path
  }
  return watch.lastExport
}

/**
 * Decides every command on a watch, as a pure function that returns events or a refusal. A late report, such as a
 * replaced watcher's, is no error and no event. A forbidden command is refused.
 *
 * @example
 * ```ts
 * import { decide, initial } from "@souffleur/domain"
 *
 * const by = { _tag: "Operator" } as const
 * decide(initial, { _tag: "Release", now: 0, by }) // a failure: there is no such watch
 * const conductor = { pid: 4711, sessionId: "s1" }
 * // [WatchOpened]
 * decide(initial, { _tag: "Open", project: "/p", comms: null, observe: false, ...conductor, now: 0, by })
 * ```
 */
export const decide = (watch: Watch, command: WatchCommand): Decision<Event.WatchEvent> => {
  const at = command.now
  if (command._tag === "Open") {
    const above =
      command.run === undefined
        ? undefined
        : abovePin(command.run.launch.effective, { pin: command.pin ?? leastPin, note: command.note ?? noNote })
    if (above !== undefined) return Result.fail(above)
    return watch.phase === "New"
      ? ok(
          Event.WatchOpened.make({
            at,
            project: command.project,
            comms: command.comms,
            pid: command.pid,
            sessionId: command.sessionId,
            observe: command.observe,
            forced: command.forced ?? false,
            kind: command.run?.kind ?? "agent",
            process: command.process ?? null,
            limits: command.limits ?? null,
            note: command.note ?? noNote,
            ...(command.pin === undefined ? {} : { pin: command.pin })
          }),
          ...(command.run === undefined
            ? []
            : [Event.LaunchPrepared.make({ at, cycle: 0, sessionId: command.sessionId, ...command.run.launch })])
        )
      : no("exists", "a watch with this id exists")
  }
  if (watch.phase === "New") return no("no such watch", "there is no such watch")
  if (command.by._tag === "Owner" && command.by.fence !== watch.fence)
    return no("fenced", "another souffleur has taken this watch over")
  if (watch.phase === "Exited")
    return command._tag === "Leave" ? ok() : no("ended", `the watch has ended: ${watch.end}`)
  if (isAboutButtons(command)) return decidePress(watch, command, decide)
  switch (command._tag) {
    case "TakeOwnership":
      return watch.owner === undefined || watch.fence === command.over
        ? ok(Event.OwnerTook.make({ at, fence: watch.fence + 1, owner: command.owner }))
        : no("owned", "another souffleur took this watch first")
    case "Leave":
      return watch.owner === undefined ? ok() : ok(Event.OwnerLeft.make({ at, fence: watch.fence }))
    case "Move":
      return Equal.equals(watch.owner ?? watch.left, command.from)
        ? ok(Event.WatchMoved.make({ at, from: command.from, host: command.host }))
        : no("owned", "another souffleur took this watch first")
    case "Restore":
    case "EndProcess":
      return decideGuard(watch, command)

    case "FailValidation": {
      if (watch.phase !== "Validating") return no("not now", "the watch is validated")
      const { check, lastMessageId, message } = command
      const attempt = watch.failures.length + 1
      const failed = Event.ValidationFailed.make({ at, attempt, check, message, lastMessageId })
      return attempt < attempts && command.final !== true
        ? ok(failed)
        : ok(
            failed,
            Event.ValidationExhausted.make({
              at,
              messages: [...watch.failures, command].map((failure) => failure.message)
            })
          )
    }
    case "CorrectArguments": {
      const { messageId, pid, process, sessionId } = command
      return watch.phase === "Validating"
        ? ok(Event.ArgumentsCorrected.make({ at, pid, sessionId, messageId, process }))
        : no("not now", "the watch is validated")
    }
    case "Confirm":
      return watch.phase === "Validating"
        ? ok(
            Event.ConductorConfirmed.make({
              at,
              conductor: command.conductor,
              below: command.below ?? null,
              sessionId: command.sessionId,
              began: command.began ?? false,
              print: command.print,
              agent: command.agent,
              ...command.baseline
            }),
            nextWatcher(watch, at)
          )
        : no("not now", "the watch is validated")

    // The ordering invariant: a self-monitor is replaced only when the new watcher runs.
    case "WatcherReady":
      return command.watcher !== watch.watcher?.watcher ||
        watch.monitor?.watcher === command.watcher ||
        isUnwatched(watch)
        ? ok()
        : ok(
            ...(watch.monitor === undefined
              ? []
              : [Event.SelfMonitorStopped.make({ at, monitor: watch.monitor.monitor, reason: "replaced" as const })]),
            Event.SelfMonitorStarted.make({ at, monitor: watch.monitorsStarted + 1, watcher: command.watcher })
          )
    case "SelfMonitorReady":
      return watch.phase === "Settling" && watch.monitor?.monitor === command.monitor
        ? ok(Event.WatchSettled.make({ at }))
        : ok()
    case "ReportExit":
      return decideExit(watch, command)
    case "ReportDeferred": {
      const { message, until, watcher } = command
      const known = watch.deferred?.message === message && watch.deferred.until >= until
      return watcher !== watch.watcher?.watcher || known
        ? ok()
        : ok(Event.KillDeferred.make({ at, watcher, message, until }))
    }
    case "ReportPerson": {
      const { for: what, watcher } = command
      if (watcher !== watch.watcher?.watcher || what === (watch.person?.for ?? null)) return ok()
      return ok(
        what === null ? Event.PersonCame.make({ at, watcher }) : Event.PersonAwaited.make({ at, watcher, for: what })
      )
    }
    case "ReportIdle": {
      const { since, watcher } = command
      if (watcher !== watch.watcher?.watcher || since === (watch.idle?.since ?? null)) return ok()
      if (since === null) return ok(Event.ConductorBusy.make({ at, watcher }))
      return watch.person !== undefined || watch.standby !== undefined || watch.wait !== undefined
        ? ok()
        : ok(Event.ConductorIdle.make({ at, watcher, since, again: since === watch.idledAt }))
    }
    case "ReportRefused": {
      const { from, what, message } = command
      return watch.refused.includes(what) ? ok() : ok(Event.WordRefused.make({ at, what, from, message }))
    }
    case "ReportSilentTask": {
      const { age, heartbeat, state, task, watcher } = command
      const before = watch.silentTasks.find((one) => one.task === task)
      const told = before === undefined ? watch.silentTasks.length >= maxSilentTasks : before.heartbeat === heartbeat
      return told || watcher !== watch.watcher?.watcher
        ? ok()
        : ok(Event.TaskSilent.make({ at, watcher, task, state, heartbeat, age }))
    }
    case "ReportNoticeLost": {
      const { channel, message, notice, of, tries } = command
      return ok(Event.NoticeLost.make({ at, channel, notice, of, tries, message }))
    }
    case "ReportClaim": {
      const { message } = command
      if (watch.unclaimed === (message !== null)) return ok()
      return ok(message === null ? Event.ConductorClaimed.make({ at }) : Event.ConductorUnclaimed.make({ at, message }))
    }
    case "ReportFolder":
      return watch.agentFolders.includes(command.folder)
        ? ok()
        : ok(Event.AgentFolderFound.make({ at, folder: command.folder }))
    case "ReportCaps":
      return Equal.equals(watch.caps, command.caps)
        ? ok()
        : ok(Event.CapsFound.make({ at, caps: command.caps, began: command.began }))
    case "ReportCeiling": {
      const { ceiling, flag = null, limit, since, then = "withhold", used } = command
      const { allowedSince, recovery, standby, watcher = { watcher: watch.watchersStarted } } = watch
      // A stop that failed is tried again by a person's word alone, and an export stops the Conductor too.
      const isStopping =
        recovery?.purpose === "stop" || recovery?.purpose === "export" || standby?.trigger === "ceiling"
      const reported = then === "stop" ? isStopping : watch.ceiling !== undefined
      if (reported || since !== allowedSince) return ok()
      return ok(
        Event.CeilingReached.make({ at, watcher: watcher.watcher, ceiling, used, limit, flag, then }),
        ...(then === "stop" ? [cycleOf(watch, at, "ceiling")] : [])
      )
    }
    case "ReportForeseen":
      return isTold(watch.foreseen, command.foreseen, at)
        ? ok()
        : ok(Event.LimitForeseen.make({ at, ...command.foreseen }))
    case "ReportHandoffTaken": {
      const { contextTokens, contextWindow, launchId, takenAt, watcher } = command
      if (watcher !== watch.watcher?.watcher || launchId !== watch.launchId || watch.taken !== undefined) return ok()
      const { generation } = watch
      return ok(Event.HandoffTaken.make({ at, watcher, launchId, generation, takenAt, contextTokens, contextWindow }))
    }
    case "ReportWatcherDead":
      // During a recovery there is no watcher.
      return command.monitor === watch.monitor?.monitor && command.watcher === watch.watcher?.watcher
        ? ok(Event.WatcherLost.make({ at, watcher: command.watcher, beatAge: command.beatAge }), nextWatcher(watch, at))
        : ok()
    case "ReportRoleFailed":
      return decideRoleFailed(watch, command)
    case "ReportSelfMonitorLost":
      return command.monitor === watch.monitor?.monitor
        ? ok(
            Event.SelfMonitorStopped.make({ at, monitor: command.monitor, reason: "lost" }),
            Event.SelfMonitorStarted.make({ at, monitor: watch.monitorsStarted + 1, watcher: watch.monitor.watcher })
          )
        : ok()
    case "StartStep":
    case "SucceedStep":
    case "FailStep":
    case "PrepareLaunch":
    case "RefuseWindow":
    case "DelayLaunch":
    case "Relaunched":
    case "Escalate":
    case "FailClosed":
    case "ExhaustRetries":
    case "ConcludeStop":
    case "ConcludeCheck":
    case "ConcludeEnding":
    case "CancelForCompletion":
      return decideCycle(watch, command)
    case "ReportConfig":
    case "Trust":
      return decidePin(watch, command)
    case "Retry":
      return decideRetry(watch, command)
    case "Hold":
      return decideHold(watch, command)
    case "Go":
      return decideGo(watch, command)
    case "TakeFleetWord":
      return decideFleetWord(watch, command, decide)
    case "Adopt": {
      if (watch.phase === "Validating") return no("not now", "the watch is not validated yet")
      const { agent = null, baseline, conductor, forced = false, print, sessionId, settled } = command
      const launch = watch.recovery?.launch?.launchId
      if (launch !== undefined && launch !== settled?.launchId)
        return no("not now", "the running recovery launches a successor at this moment: say it again")
      const launchId = settled?.started ? settled.launchId : null
      return ok(
        ...adopted(watch, at, { by: "operator", conductor, print, forced, baseline, sessionId, agent, launchId })
      )
    }
    case "Finish":
      return ok(Event.ConductorCompleted.make({ at, by: command.saidBy }))
    case "RequestHandoff":
      return decideHandoff(watch, command)
    case "Stop": {
      if (watch.observe) return no("not now", "souffleur only observes here: it stops nothing")
      if (watch.forced)
        return no("never", "its process was named with --force, against the evidence: end it yourself, then release it")
      if (watch.recovery?.purpose === "stop") return ok()
      const { reason = null } = command
      return ok(
        Event.StopAsked.make({ at, reason }),
        Event.RecoveryStarted.make({ at, cycle: watch.cycles + 1, purpose: "stop", trigger: "stop" })
      )
    }
    case "Release":
      return ok(Event.WatchReleased.make({ at, exportPath: exportOf(watch), to: command.to ?? null }))
  }
}
