import {
  claimedInWords,
  EventLog,
  evolve,
  initial,
  isEnd,
  iso,
  overreachInWords,
  type Watch,
  type WatchEvent,
  withdrawnInWords
} from "@souffleur/domain"
import { type Notice as Told, page } from "@souffleur/process"
import { toldUpTo } from "@souffleur/eventlog"
import { Effect, Stream } from "effect"
import { newest, tellingOf, withoutRole } from "./Herald.ts"

export type Notice = Told<
  | "recovered"
  | "failed_closed"
  | "exhausted"
  | "waiting_for_a_person"
  | "usage_limit"
  | "outage"
  | "ceiling"
  | "untrusted_config"
  | "warning"
  | "cleared"
>

/** What comms is warned of, where the user is to hear it too: a watch may have no comms. */
const warning = (event: WatchEvent): Notice | undefined => {
  const { message } = tellingOf(event)
  return message?.kind === "warning" ? { kind: "warning", text: message.text } : undefined
}

const cleared = (text: string): Notice => ({ kind: "cleared", text })

/** A person was told of something that is not over. */
const isOpen = ({ person, standby, wait }: Watch): boolean =>
  standby !== undefined || person !== undefined || (wait !== undefined && wait.kind !== "quiet-hours")

/**
 * A recovery that failed closed, a person who is awaited, and a limit that is waited out are episodes: told when they begin,
 * and when they are over. `before`: the watch up to that event.
 */
export const noticeOf = (event: WatchEvent, before: Watch): Notice | undefined => {
  switch (event._tag) {
    // A command has no conversation to take up: it runs, or it does not.
    case "ConductorRelaunched":
      return before.kind === "command" ? { kind: "recovered", text: `the command runs again (S${event.generation})` } : undefined
    case "HandoffTaken":
      return { kind: "recovered", text: `Conductor (S${event.generation}) has taken the hand-off` }
    case "RecoveryFailedClosed":
      return { kind: "failed_closed", text: `recovery failed closed at ${event.stage}: ${event.reason}` }
    case "RoleGaveUp":
      return {
        kind: "failed_closed",
        text: `the ${event.role} of souffleur died ${event.failures} times in a row: ${withoutRole[event.role]}`
      }
    case "RetriesExhausted":
      return {
        kind: "exhausted",
        text: `three deaths without progress${event.exportPath === null ? "" : `; the last conversation is in ${event.exportPath}`}`
      }
    case "GuardianGaveUp":
      return { kind: "exhausted", text: `nobody watches: souffleur was brought back ${event.restorations} times without progress` }
    case "ValidationExhausted":
      return { kind: "exhausted", text: "validation failed three times: nothing is watched" }
    case "PersonAwaited":
      return { kind: "waiting_for_a_person", text: `the Conductor waits for a person: ${event.for}` }
    case "PersonCame":
      return cleared("the Conductor waits for nobody any more")
    case "CeilingReached":
      return { kind: "ceiling", text: `the ceiling of ${event.ceiling} is reached: what is in hand goes on, nothing is launched any more` }
    case "ConfigOverreached":
      return { kind: "untrusted_config", text: overreachInWords(event) }
    case "ConfigWithdrawn":
      return cleared(withdrawnInWords)
    case "TrustGiven":
      return before.overreach === undefined ? undefined : cleared(withdrawnInWords)
    // A request that was not understood, a permission that was asked for in vain, a Conductor that cannot be found or claimed.
    case "StepSucceeded":
    case "LaunchPrepared":
    case "ConductorUnresolved":
    case "ConductorUnclaimed":
      return warning(event)
    case "ConductorResolved":
      return before.conductor === undefined ? cleared(`the Conductor is pid ${event.conductor.pid}`) : undefined
    case "ConductorClaimed":
      return cleared(claimedInWords)
    case "WaitStarted":
      return before.wait === undefined && event.kind !== "quiet-hours"
        ? { kind: event.kind === "outage" ? "outage" : "usage_limit", text: `waiting until ${iso(event.until)}` }
        : undefined
    case "WaitEnded":
      return before.wait?.kind === "quiet-hours" ? undefined : cleared("the wait is over")
    case "ConductorAdopted":
    case "ConductorCompleted":
      return !isOpen(before)
        ? undefined
        : cleared(event._tag === "ConductorCompleted" ? "the Conductor completed" : "a Conductor is watched again")
    default:
      return undefined
  }
}

/** Runs the user's command for each notice of a watch, until its end (`Pager.ts`). */
export const notifier = Effect.fn("notifier")(function* (id: string, project: string, command: string) {
  const log = yield* EventLog
  const mark = `${id}/notified`
  yield* toldUpTo(mark, newest(id))
  let watch = initial
  yield* log.changes(id, 0).pipe(
    Stream.tap(
      Effect.fnUntraced(function* ({ event, revision }) {
        const notice = noticeOf(event, watch)
        watch = evolve(watch, event)
        if (notice !== undefined) yield* page({ command, mark, subject: { watch: id, project }, revision, at: event.at, notice })
      })
    ),
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.runDrain
  )
})
