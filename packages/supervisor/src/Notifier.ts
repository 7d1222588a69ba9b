import {
  describeEvent,
  EventLog,
  evolve,
  initial,
  isEnd,
  type Watch,
  type WatchEvent,
  type WatchNotice
} from "@souffleur/domain"
import { type Notice as NoticeOf, notifyOnce } from "@souffleur/process"
import { positionOf } from "@souffleur/eventlog"
import { Effect, Stream } from "effect"
import { newest } from "./CommsPublisher.ts"

export type Notice = NoticeOf<WatchNotice>

/** Whether a person was told of something that is not over. */
const isOpen = ({ person, standby, wait }: Watch): boolean =>
  standby !== undefined || person !== undefined || (wait !== undefined && wait.kind !== "quiet-hours")

/** Whether an event begins or ends an episode, or belongs to no episode. `before` is the watch up to that event. */
const isNews = (event: WatchEvent, before: Watch): boolean => {
  switch (event._tag) {
    // A command has no conversation to take up: it runs, or it does not. An agent has recovered when it took the
    // hand-off.
    case "ConductorRelaunched":
      return before.kind === "command"
    case "TrustGiven":
      return before.overreach !== undefined
    case "ConductorResolved":
      return before.conductor === undefined
    case "WaitStarted":
      return before.wait === undefined
    case "WaitEnded":
      return before.wait?.kind !== "quiet-hours"
    case "ConductorAdopted":
    case "ConductorCompleted":
      return isOpen(before)
    default:
      return true
  }
}

/**
 * Returns the notice of an event. A failed recovery, an awaited person and a limit are episodes: their begin and their
 * end are told. `before` is the watch up to that event. `undefined`: no notice.
 */
export const noticeOf = (event: WatchEvent, before: Watch): Notice | undefined => {
  const { notice: kind, text } = describeEvent(event)
  return kind === undefined || !isNews(event, before) ? undefined : { kind, text }
}

/** Runs the user's command for each notice of a watch, until the watch ends. */
export const notifier = Effect.fn("notifier")(function* (id: string, project: string, command: string) {
  const log = yield* EventLog
  const mark = `${id}/notified`
  yield* positionOf(mark, newest(id))
  let watch = initial
  yield* log.changes(id, 0).pipe(
    Stream.tap(
      Effect.fnUntraced(function* ({ event, revision }) {
        const notice = noticeOf(event, watch)
        watch = evolve(watch, event)
        if (notice !== undefined)
          yield* notifyOnce({ command, mark, subject: { watch: id, project }, revision, at: event.at, notice })
      })
    ),
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.runDrain
  )
})
