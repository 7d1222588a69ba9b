import { EventLog, isEnd, Outbox, runProgram, type WatchEvent } from "@souffleur/domain"
import { Effect, Stream } from "effect"

/** What a person is told of, once an episode (cli.md, `SOUFFLEUR_NOTIFY_COMMAND`). Never a word of the conversation. */
export interface Notice {
  readonly kind: "recovered" | "failed_closed" | "exhausted" | "cleared"
  readonly text: string
}

/** An episode begins when a recovery fails closed and ends when the watch goes on, which is told too. */
export const noticeOf = (event: WatchEvent, standingBy: boolean): Notice | undefined => {
  switch (event._tag) {
    case "ConductorRelaunched":
      return { kind: "recovered", text: `Conductor (S${event.generation}) was launched by ${event.provider}` }
    case "RecoveryFailedClosed":
      return { kind: "failed_closed", text: `recovery failed closed at ${event.stage}: ${event.reason}` }
    case "RetriesExhausted":
      return {
        kind: "exhausted",
        text: `three deaths without progress${event.exportPath === null ? "" : `; the last conversation is in ${event.exportPath}`}`
      }
    case "ValidationExhausted":
      return { kind: "exhausted", text: "validation failed three times: nothing is watched" }
    case "ConductorAdopted":
    case "ConductorCompleted":
      return standingBy
        ? { kind: "cleared", text: event._tag === "ConductorCompleted" ? "the Conductor completed" : "a Conductor is watched again" }
        : undefined
    default:
      return undefined
  }
}

/**
 * Runs the user's command for each notice, with a JSON object on its standard input; at most once for each, also across
 * restarts. A command that fails is told on the log of the program and not run again: a watchdog does not wait for a pager.
 */
export const notifier = Effect.fn("Notifier")(function* (id: string, project: string, command: string) {
  const [log, marks] = [yield* EventLog, yield* Outbox]
  const mark = `${id}/notified`
  const told = yield* marks.told(mark)
  let standingBy = false
  yield* log.changes(id, 0).pipe(
    Stream.tap(
      Effect.fnUntraced(function* ({ event, revision }) {
        const notice = noticeOf(event, standingBy)
        if (event._tag === "RecoveryFailedClosed") standingBy = true
        if (event._tag === "ConductorAdopted" || event._tag === "ConductorRelaunched") standingBy = false
        if (notice === undefined || revision <= told) return
        yield* marks.tell(mark, revision)
        const stdin = `${JSON.stringify({ watch: id, project, revision, at: new Date(event.at).toISOString(), ...notice })}\n`
        yield* runProgram({ command, args: [], stdin, within: "30 seconds", atMost: 65_536 }).pipe(
          Effect.catchTag("ProgramFailed", ({ why }) => Effect.logWarning(`the notify command: ${why}`))
        )
      })
    ),
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.runDrain
  )
})
