import { Result } from "effect"
import { type Decision, no, ok } from "@souffleur/eventlog"
import { nextWatcher } from "./ExitDecider.ts"
import { abovePin } from "./PinDecider.ts"
import { isTimeOver } from "../settings/JobLimits.ts"
import { begunAlready } from "../evidence/NeverBegan.ts"
import { compactAttempts } from "../watch/StepName.ts"
import type { RecoveryCycle } from "../watch/RecoveryCycle.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/**
 * Makes a token, which is new for each attempt and safe as a file name. It holds only the watch's own numbers and the
 * step's name.
 */
const tokenOf = (watch: Watch, cycle: number, step: string, attempt: number): string =>
  `g${watch.generation + 1}-c${cycle}-${step.replaceAll(/[^A-Za-z0-9]+/gu, "-")}-${attempt}`

/**
 * Returns why a step must not start. The log is the count: a schedule would grant the attempts again after a crash
 * (spec: behaviour#standard_compact).
 */
const forbidden = (watch: Watch, { steps }: RecoveryCycle, name: string, kind: Event.StepKind): string | undefined => {
  const [first, second] = compactAttempts
  if (name === second && steps[first]?._tag !== "Failed")
    return "the second compaction follows only a first that failed"
  const begun = begunAlready(watch, name)
  if (begun !== undefined) return begun
  if (kind !== "launch") return undefined
  if (steps[second]?._tag === "Failed") return "compaction is exhausted in this cycle: nothing is launched"
  // An open launch counts too: whether it ran must never be guessed. A failed launch counts once its file was written.
  const [other] =
    Object.entries(steps).find(
      ([step, state]) => step !== name && state.kind === "launch" && (state._tag !== "Failed" || state.prepared)
    ) ?? []
  return other === undefined ? undefined : `"${other}" launches in this cycle: nothing else does`
}

type CycleCommand = Extract<
  WatchCommand,
  {
    readonly _tag:
      | "StartStep"
      | "SucceedStep"
      | "FailStep"
      | "PrepareLaunch"
      | "RefuseWindow"
      | "DelayLaunch"
      | "Relaunched"
      | "Escalate"
      | "FailClosed"
      | "ExhaustRetries"
      | "ConcludeStop"
      | "ConcludeCheck"
      | "ConcludeEnding"
      | "CancelForCompletion"
  }
>

const prepared = (
  watch: Watch,
  command: Extract<CycleCommand, { readonly _tag: "PrepareLaunch" }>
): Decision<Event.WatchEvent> => {
  const {
    cycle,
    digest,
    effective,
    heldTo = null,
    launchId,
    now: at,
    pty = false,
    requested,
    sessionId,
    turnBefore = null
  } = command
  const above = abovePin(effective, watch)
  if (above !== undefined) return Result.fail(above)
  if (isTimeOver(watch, at)) return no("not now", "the time of this job is over: nothing is launched")
  return ok(
    Event.LaunchPrepared.make({ at, cycle, launchId, digest, sessionId, requested, effective, heldTo, pty, turnBefore })
  )
}

const windowRefused = ({
  cycle,
  instead,
  launchId,
  message,
  now: at,
  terminal
}: Extract<CycleCommand, { readonly _tag: "RefuseWindow" }>) =>
  ok(Event.WindowRefused.make({ at, cycle, launchId, terminal, instead, message }))

/**
 * Decides one recovery, step by step: each intent before its act, each outcome once, no launch twice (spec:
 * behaviour#steps).
 */
export const decideCycle = (watch: Watch, command: CycleCommand): Decision<Event.WatchEvent> => {
  const { recovery } = watch
  const { cycle, now: at } = command
  const isFirstLaunch = cycle === 0 && watch.phase === "Validating" && watch.firstLaunch !== undefined
  if (command._tag === "PrepareLaunch" && isFirstLaunch) return prepared(watch, command)
  if (command._tag === "RefuseWindow" && isFirstLaunch) return windowRefused(command)
  // A step belongs to the running cycle. Every other cycle is over.
  if (recovery?.cycle !== cycle) return no("not now", "this recovery is over")

  switch (command._tag) {
    case "StartStep": {
      const { kind, step } = command
      const last = recovery.steps[step]
      if (last !== undefined && last._tag !== "Started") return no("never", `step ${step} is decided in this cycle`)
      const never = forbidden(watch, recovery, step, kind)
      if (never !== undefined) return no("never", never)
      const attempt = (last?.attempt ?? 0) + 1
      return ok(Event.StepStarted.make({ at, cycle, step, kind, attempt, token: tokenOf(watch, cycle, step, attempt) }))
    }
    case "SucceedStep":
    case "FailStep": {
      const { step } = command
      if (recovery.steps[step]?._tag !== "Started") return no("never", `step ${step} has no open intent`)
      return command._tag === "SucceedStep"
        ? ok(Event.StepSucceeded.make({ at, cycle, step, outcome: command.outcome }))
        : ok(Event.StepFailed.make({ at, cycle, step, failure: command.failure }))
    }
    case "PrepareLaunch":
      return recovery.purpose === "relaunch"
        ? prepared(watch, command)
        : no("never", "this recovery only stops: nothing is launched")
    case "RefuseWindow":
      return windowRefused(command)
    case "DelayLaunch":
      return ok(Event.LaunchDelayed.make({ at, cycle, message: command.message, until: command.until }))
    case "Relaunched": {
      const { awaiting, baseline, conductor, exportPath, launchId, print, provider, sessionId } = command
      if (recovery.launch?.launchId !== launchId) return no("never", "this launch was never prepared")
      const generation = watch.generation + 1
      return ok(
        Event.ConductorRelaunched.make({
          at,
          cycle,
          generation,
          provider,
          launchId,
          conductor,
          sessionId,
          awaiting,
          print,
          exportPath,
          ...baseline
        }),
        ...(conductor === null
          ? [Event.ConductorUnresolved.make({ at, watcher: watch.watchersStarted, sessionId })]
          : []),
        nextWatcher(watch, at, { awaiting, mode: conductor === null ? "heartbeat-only" : "normal" })
      )
    }
    case "Escalate": {
      const { alreadyKilled, from, message, stage, to } = command
      // After a crash the provider escalates once more, with the same result.
      if (recovery.escalated.includes(from)) return ok()
      return ok(Event.RecoveryEscalated.make({ at, cycle, from, to, stage, message, alreadyKilled }))
    }
    case "FailClosed": {
      const { message, stage } = command
      return ok(Event.RecoveryFailedClosed.make({ at, cycle, stage, message }), nextWatcher(watch, at))
    }
    case "ExhaustRetries":
      return recovery.purpose === "export"
        ? ok(Event.RetriesExhausted.make({ at, cycle, trigger: recovery.trigger, exportPath: command.exportPath }))
        : no("not now", "retries are not exhausted")
    case "ConcludeStop":
      return recovery.purpose === "stop"
        ? ok(
            Event.WatchStopped.make({
              at,
              cycle,
              limit: recovery.trigger === "ceiling" ? (watch.ceiling?.ceiling ?? null) : null,
              exportPath: watch.lastExport
            })
          )
        : no("not now", "neither a person nor a limit has it stopped")
    case "ConcludeCheck": {
      if (recovery.purpose !== "check") return no("not now", "no work is checked")
      const { code, said } = command
      return ok(
        Event.WorkChecked.make({ at, cycle, code, said }),
        code === 0 ? Event.ConductorCompleted.make({ at, by: "program" }) : nextWatcher(watch, at)
      )
    }
    case "ConcludeEnding":
      return recovery.purpose === "end"
        ? ok(Event.EndingOver.make({ at, cycle, ended: true }), nextWatcher(watch, at))
        : no("not now", "no agent is being ended")
    case "CancelForCompletion":
      return ok(Event.ConductorCompleted.make({ at, by: "recovery" }))
  }
}
