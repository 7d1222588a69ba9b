import {
  attempts,
  Comms,
  describeEvent,
  type Description,
  EventLog,
  isEnd,
  load,
  type MessageKind,
  plain,
  type Recorded,
  type SouffleurState,
  type WatchEvent,
  type WatchNoticeKind,
  Words
} from "@souffleur/domain"
import { Cursor, positionOf } from "@souffleur/eventlog"
import { Effect, FiberHandle, Match, Schedule, Stream } from "effect"

/** The news of an event for comms: the row's state, a message, or nothing. */
export interface Publication {
  readonly row?: { readonly state: SouffleurState; readonly lastError?: string }
  readonly message?: { readonly kind: MessageKind; readonly text: string }
}

/** The state of our row after an event (spec: behaviour#state-in-comms). `undefined`: it stays. */
const rowOf: (event: WatchEvent) => Publication["row"] = Match.type<WatchEvent>().pipe(
  Match.tag("ValidationFailed", ({ message }) => ({ state: "error" as const, lastError: message })),
  Match.tag("ValidationExhausted", ({ messages }) => ({ state: "exited" as const, lastError: messages.at(-1) ?? "" })),
  Match.tag("ConductorConfirmed", "ConductorRelaunched", "ConductorAdopted", "RecoveryRetried", () => ({
    state: "confirmed" as const
  })),
  Match.tag("RecoveryFailedClosed", ({ message, stage }) => ({
    state: "error" as const,
    lastError: `${stage}: ${message}`
  })),
  // Others read the row, not the log: `confirmed` would promise a recovery that does not come.
  Match.tag("RecoveryWithheld", ({ message, stage }) => ({
    state: "error" as const,
    lastError: `${stage}: ${message}`
  })),
  Match.tag("RetriesExhausted", () => ({ state: "error" as const, lastError: Words.threeEnds })),
  Match.tag("RoleGaveUp", ({ defect, role }) =>
    role === "watcher" || role === "self-monitor"
      ? { state: "error" as const, lastError: `${role}: ${defect}` }
      : undefined
  ),
  Match.tag("ConductorCompleted", () => ({ state: "complete" as const })),
  Match.tag("WatchStopped", () => ({ state: "exited" as const })),
  // The row belongs to the watch that took comms over.
  Match.tag("WatchReleased", ({ to }) => (to === null ? { state: "exited" as const } : undefined)),
  Match.orElse(() => undefined)
)

/** Adds what only the readers of comms can do or need to know. */
const textOf = (event: WatchEvent, { text }: Description<WatchNoticeKind>): string => {
  switch (event._tag) {
    case "ValidationFailed":
      // souffleur reads no reply after the last one.
      return event.attempt < attempts ? `${text} Reply with an instruction: PID:<pid> SESSION_ID:<id>` : text
    case "RecoveryFailedClosed":
      return `${text} Nothing was launched.`
    default:
      return text
  }
}

/** Puts an event in the form of comms: the state of our row and a message, as the description says. */
export const publicationOf = (event: WatchEvent): Publication => {
  const row = rowOf(event)
  const description = describeEvent(event)
  return {
    ...(row === undefined ? {} : { row }),
    ...(description.message === undefined
      ? {}
      : { message: { kind: description.message, text: textOf(event, description) } })
  }
}

/** Reads the revision of the newest event of a watch. */
export const newest = (id: string) => Effect.map(load(id), ({ revision }) => revision)

/** Retries while comms is out: soon at first, then each half minute. */
const untilTold = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("30 seconds")])

/**
 * Publishes the log in comms, in order, until the watch has ended and comms has every event. The log is the cursor
 * (spec: behaviour#outbox): an event that comms did not take is published again. The key of a message has its revision,
 * so it is never written twice.
 */
export const commsPublisher = Effect.fn("commsPublisher")(function* (id: string) {
  const comms = yield* Comms
  const log = yield* EventLog
  const cursor = yield* Cursor
  /** The newest write of our row, while it waits for that row: its owners drop their tables, and make them again. */
  const owed = yield* FiberHandle.make()
  const telling = Effect.fnUntraced(function* ({ event, revision }: Recorded) {
    const { message, row } = publicationOf(event)
    if (row !== undefined) {
      const { lastError } = row
      const write = comms.setState(row.state, event.at, lastError === undefined ? undefined : plain(lastError))
      // A message does not wait for the row: it may be what tells its owners to make it.
      yield* FiberHandle.clear(owed)
      yield* Effect.retry(write, { schedule: untilTold, while: ({ reason }) => reason !== "row" }).pipe(
        Effect.catchTag("CommsUnavailable", () =>
          FiberHandle.run(owed, Effect.retry(Effect.delay(write, "30 seconds"), Schedule.forever))
        )
      )
    }
    if (message !== undefined)
      yield* Effect.retry(
        comms.post({ key: `${id}#${revision}`, at: event.at, ...message, text: plain(message.text) }),
        untilTold
      )
    yield* cursor.advance(id, revision)
  })
  yield* log.changes(id, yield* positionOf(id, newest(id))).pipe(
    Stream.tap((recorded) => Effect.orDie(telling(recorded))),
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.runDrain
  )
}, Effect.scoped)

/** Returns whether comms has every event of an ended watch. `false` too if that cannot be known. */
export const allPublished = (id: string, revision: number) =>
  Cursor.use(({ position }) => position(id)).pipe(
    Effect.map((published) => published >= revision),
    Effect.catchDefect(() => Effect.succeed(false))
  )
