import {
  claimedInWords,
  clampInWords,
  Comms,
  type Event,
  EventLog,
  isEnd,
  load,
  type MessageKind,
  overreachInWords,
  type PinEvent,
  plain,
  type Recorded,
  type SouffleurState,
  trustInWords,
  unclaimedInWords,
  type WatchEvent,
  withdrawnInWords
} from "@souffleur/domain"
import { Outbox, toldUpTo } from "@souffleur/eventlog"
import { doubtful, Gate } from "@souffleur/recovery"
import { Effect, Match, Option, Schedule, Schema, Stream } from "effect"

/** What is missing where a role of souffleur's own gave up. */
export const withoutRole: Readonly<Record<Event.OwnRole, string>> = {
  watcher: 'nobody looks at the Conductor until "souffleur retry" or "adopt"',
  "self-monitor": 'souffleur stands by, and recovers nobody until "souffleur retry" or "adopt"',
  narrator: 'it is watched on, and nothing is printed: see "souffleur log"',
  herald: "it is watched on, and comms is told nothing more",
  notifier: "it is watched on, and the notify command is not run any more"
}

/** What comms is told of an event: the row's state, a message, or nothing. */
export interface Telling {
  readonly row?: { readonly state: SouffleurState; readonly lastError?: string }
  readonly message?: { readonly kind: MessageKind; readonly text: string }
}

const exportAt = (path: string | null) => (path === null ? "There is no export." : `The last export: ${path}`)

const decodeGate = Schema.decodeUnknownOption(Gate)

/** An export that fits, and was measured without doubt, is no news. */
const gateTelling = ({ estimated_tokens, start_mode, threshold, warnings }: Gate): Telling => {
  const over = estimated_tokens > threshold
  if (!over && warnings.length === 0) return {}
  const scope = start_mode === "full_file" ? "the whole file" : "from the last compact marker on"
  const text = `The export is estimated at ${estimated_tokens} tokens (${scope}), the threshold is ${threshold}: ${over ? "it is discarded" : "it is handed on"}`
  return { message: { kind: "system", text: [text, ...warnings].join(". ") } }
}

/** No word of the payload itself: only where it was not understood. */
const requestTelling = ({ messageId, warnings }: NonNullable<ReturnType<typeof doubtful>>): Telling => ({
  message: {
    kind: "warning",
    text: `Of the payload of the hand-off${messageId === null ? "" : ` (message ${messageId})`} not everything was understood: ${warnings.join("; ")}`
  }
})

const pinTelling = (event: PinEvent): Telling => ({
  message:
    event._tag === "ConfigOverreached"
      ? { kind: "warning", text: overreachInWords(event) }
      : { kind: "system", text: event._tag === "TrustGiven" ? trustInWords(event) : withdrawnInWords }
})

/** The states and messages (spec: behaviour#state-in-comms), by event; never a word of the conversation. */
export const tellingOf: (event: WatchEvent) => Telling = Match.type<WatchEvent>().pipe(
  Match.tag("ValidationFailed", ({ attempt, check, reason }) => ({
    row: { state: "error" as const, lastError: reason },
    message: {
      kind: "error" as const,
      text: `Validation ${attempt} of 3 failed at the check "${check}": ${reason}. Reply with an instruction: PID:<pid> SESSION_ID:<id>`
    }
  })),
  Match.tag("ValidationExhausted", ({ reasons }) => ({
    row: { state: "exited" as const, lastError: reasons.at(-1) ?? "" },
    message: {
      kind: "error" as const,
      text: `Nothing is watched: validation failed ${reasons.length} times. ${reasons.map((reason, n) => `${n + 1}: ${reason}`).join(". ")}`
    }
  })),
  Match.tag("ConductorConfirmed", () => ({ row: { state: "confirmed" as const } })),
  Match.tag("ConductorRelaunched", ({ conductor, generation, provider }) => ({
    row: { state: "confirmed" as const },
    message: { kind: "system" as const, text: `Conductor (S${generation}) was launched by ${provider}, pid ${conductor.pid}` }
  })),
  Match.tags({
    ConductorUnresolved: ({ sessionId }) => ({
      message: {
        kind: "warning" as const,
        text: `No live process says that it holds session ${sessionId}: until one does, the Conductor's heartbeat alone is watched, and a recovery could not stop it. souffleur adopt names its process`
      }
    }),
    ConductorResolved: ({ conductor }) => ({
      message: { kind: "system" as const, text: `The Conductor is pid ${conductor.pid}: it holds the session` }
    }),
    ConductorUnclaimed: (event) => ({ message: { kind: "warning" as const, text: unclaimedInWords(event) } }),
    ConductorClaimed: () => ({ message: { kind: "system" as const, text: claimedInWords } }),
    WordRefused: ({ why }) => ({ message: { kind: "warning" as const, text: why } }),
    ConfigOverreached: pinTelling,
    ConfigWithdrawn: pinTelling,
    TrustGiven: pinTelling
  }),
  Match.tag("ConductorDied", ({ cause, retries }) => ({
    message: {
      kind: "warning" as const,
      text: `The Conductor is dead (${cause})${retries === 0 ? "" : `: death ${retries} of 3 without progress`}`
    }
  })),
  Match.tag("LaunchPrepared", (event) => {
    const clamped = clampInWords(event)
    return clamped === undefined ? {} : { message: { kind: "warning" as const, text: `Launch ${event.launchId}: ${clamped}` } }
  }),
  Match.tag("StepSucceeded", (event) => {
    const request = doubtful(event)
    if (request !== undefined) return requestTelling(request)
    const { outcome, step } = event
    const gate = step === "4 estimate" ? Option.getOrUndefined(decodeGate(outcome)) : undefined
    return gate === undefined ? {} : gateTelling(gate)
  }),
  Match.tag("RecoveryEscalated", ({ alreadyKilled, from, reason, stage, to }) => ({
    message: {
      kind: "warning" as const,
      text: `Recovery escalated from ${from} to ${to} at ${stage}: ${reason} (already_killed=${alreadyKilled})`
    }
  })),
  Match.tag("RecoveryFailedClosed", ({ reason, stage }) => ({
    row: { state: "error" as const, lastError: `${stage}: ${reason}` },
    message: { kind: "error" as const, text: `Recovery failed closed at ${stage}: ${reason}. Nothing was launched.` }
  })),
  Match.tag("RetriesExhausted", ({ exportPath }) => ({
    row: { state: "error" as const, lastError: "three deaths without progress" },
    message: { kind: "error" as const, text: `Three deaths without progress: nothing is launched any more. ${exportAt(exportPath)}` }
  })),
  Match.tag("ConductorCompleted", () => ({
    row: { state: "complete" as const },
    message: { kind: "completion" as const, text: "The Conductor completed; souffleur leaves." }
  })),
  Match.tag("ConductorAdopted", ({ by, conductor, generation }) => ({
    row: { state: "confirmed" as const },
    message: {
      kind: "system" as const,
      text: `Conductor (S${generation}) is pid ${conductor.pid}: ${by === "operator" ? "adopted by an operator" : "it came back by itself"}`
    }
  })),
  Match.tag("SouffleurRestored", ({ cause, restorations }) => ({
    message: {
      kind: "warning" as const,
      text: `souffleur itself ${cause === "died" ? "died" : "fell silent"} and is brought back by its guardian${restorations === 1 ? "" : ` (${restorations} of 3 without progress)`}`
    }
  })),
  Match.tag("GuardianGaveUp", ({ restorations }) => ({
    message: {
      kind: "error" as const,
      text: `Nobody watches any more: souffleur was brought back ${restorations} times without progress. Resume it with "souffleur watch".`
    }
  })),
  Match.tag("RoleGaveUp", ({ defect, failures, role }) => ({
    ...(role === "watcher" || role === "self-monitor" ? { row: { state: "error" as const, lastError: `${role}: ${defect}` } } : {}),
    message: {
      kind: "error" as const,
      text: `The ${role} of souffleur died ${failures} times in a row of a defect of its own (${defect}): ${withoutRole[role]}.`
    }
  })),
  Match.tag("RecoveryRetried", () => ({ row: { state: "confirmed" as const } })),
  Match.tag("WatchReleased", ({ exportPath }) => ({
    row: { state: "exited" as const },
    message: { kind: "system" as const, text: `An operator released the watch; the Conductor is left as it is. ${exportAt(exportPath)}` }
  })),
  Match.orElse((): Telling => ({}))
)

/** The newest event of a watch. */
export const newest = (id: string) => Effect.map(load(id), ({ revision }) => revision)

/** As long as comms is out: sooner at first, then each half minute. */
const untilTold = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("30 seconds")])

/**
 * Tells comms what the log says, in order, until the watch has ended and all of it is told. The log is the outbox
 * (spec: behaviour#outbox): an event that comms did not take is told again; a message carries its revision and is never written twice.
 */
export const herald = Effect.fn("herald")(function* (id: string) {
  const comms = yield* Comms
  const log = yield* EventLog
  const outbox = yield* Outbox
  const telling = Effect.fnUntraced(function* ({ event, revision }: Recorded) {
    const { message, row } = tellingOf(event)
    if (row !== undefined)
      yield* Effect.retry(comms.setState(row.state, event.at, row.lastError === undefined ? undefined : plain(row.lastError)), untilTold)
    if (message !== undefined)
      yield* Effect.retry(comms.post({ key: `${id}#${revision}`, at: event.at, ...message, text: plain(message.text) }), untilTold)
    yield* outbox.tell(id, revision)
  })
  yield* log.changes(id, yield* toldUpTo(id, newest(id))).pipe(
    Stream.tap((recorded) => Effect.orDie(telling(recorded))),
    Stream.takeUntil(({ event }) => isEnd(event)),
    Stream.runDrain
  )
})

/** Whether everything of an ended watch is told; where nobody knows, it is not. */
export const allTold = (id: string, revision: number) =>
  Outbox.use(({ told }) => told(id)).pipe(
    Effect.map((told) => told >= revision),
    Effect.catchDefect(() => Effect.succeed(false))
  )
