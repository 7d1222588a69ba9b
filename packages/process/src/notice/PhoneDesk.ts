import {
  type Buttons,
  buttonMillis,
  buttonsAfter,
  digestOf,
  freshHex,
  judgePress,
  lastEnd,
  type LaunchFailed,
  mayTell,
  noButtons,
  outOfDate,
  type PhoneEvent,
  type PhoneIntent,
  type PhoneWord,
  phoneEvents,
  type PressFault,
  readPress,
  secretBytes
} from "@souffleur/domain"
import type { Log, LogError, Refused } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Option, Redacted, Stream } from "effect"
import { type HeardMessage, NoticeChannels, type NoticeMessage } from "./Notice.ts"
import type { Offer } from "./NoticeDesk.ts"

type Logged = { readonly _tag: string; readonly at: number }

/** A watch or a run whose notices have buttons. */
export interface PhoneOrder<E extends Logged, R> {
  readonly log: Pick<Log<E>, "changes" | "read">
  readonly stream: string
  readonly subject: NoticeMessage["subject"]
  /** Decides as an operator's command does. */
  readonly dispatch: (intent: PhoneIntent) => Effect.Effect<unknown, Refused | LaunchFailed | LogError, R>
}

/** The events before now in which buttons are looked for. They live for an hour. */
const maxSearched = 5000
/** Pauses of the listener: after it heard something, and after failures in a row. */
const [heardPause, minPause, maxPause] = [Duration.seconds(1), Duration.seconds(5), Duration.minutes(5)]

const tags: ReadonlySet<string> = new Set(phoneEvents.map(({ fields }) => fields._tag.schema.literal))
const isPhoneEvent = (event: Logged): event is PhoneEvent & Logged => tags.has(event._tag)

/** The channel whose notices have buttons, with its way to hear. `undefined`: there is none. */
const answering = Effect.map(NoticeChannels, (channels) =>
  channels.flatMap(({ hear, name }) => (hear === undefined ? [] : [{ hear, name }])).at(0)
)

/**
 * Makes the buttons of notices: draws their secrets, and has the digests in the log first. A notice has none if what it
 * tells of has passed, or no channel hears presses.
 */
export const offerButtons =
  <E extends Logged, R>({ dispatch, log, stream }: PhoneOrder<E, R>): Offer<R> =>
  (message, choices) =>
    Effect.gen(function* () {
      const channel = yield* answering
      if (channel === undefined || choices.length === 0) return []
      const now = yield* Clock.currentTimeMillis
      const buttons = yield* Effect.forEach(choices, (choice) =>
        Effect.map(freshHex(secretBytes), (secret) => ({ ...choice, secret: Redacted.make(secret) }))
      )
      const digests = yield* Effect.forEach(buttons, ({ secret, task, word }) =>
        Effect.map(digestOf(Redacted.value(secret)), (digest) => ({ word, task, digest }))
      )
      // The events of one append have one time, and the later ones may complete what the first one tells.
      const after = yield* log.read(stream, message.revision)
      const later = after.findIndex(({ event }) => event.at !== message.at)
      yield* dispatch({
        _tag: "OfferButtons",
        channel: channel.name,
        of: message.revision + (later < 0 ? after.length : later),
        until: now + buttonMillis,
        buttons: digests
      })
      return buttons
    }).pipe(Effect.orElseSucceed(() => []))

/** The buttons of a stream, up to a revision of its log. */
interface Known {
  readonly buttons: Buttons
  readonly revision: number
}

const caughtUp = Effect.fnUntraced(function* <E extends Logged>(
  { log, stream }: { readonly log: Pick<Log<E>, "read">; readonly stream: string },
  { buttons, revision }: Known
) {
  const more = yield* log.read(stream, revision)
  return {
    buttons: more.reduce((all, { event }) => (isPhoneEvent(event) ? buttonsAfter(all, event) : all), buttons),
    revision: more.at(-1)?.revision ?? revision
  } satisfies Known
})

/** Takes one message at most once: its event spends the button, in the append of what it leads to. */
const hearOne = Effect.fnUntraced(function* <E extends Logged, R>(
  { dispatch }: PhoneOrder<E, R>,
  { buttons }: Known,
  { id: message, text }: HeardMessage,
  channel: string
) {
  const refuse = Effect.fnUntraced(function* (fault: PressFault, word: PhoneWord | null) {
    if (mayTell(buttons, yield* Clock.currentTimeMillis))
      // Only a watch that has ended refuses it.
      yield* Effect.catchTag(
        dispatch({ _tag: "RefusePress", channel, message, fault, word }),
        "Refused",
        () => Effect.void
      )
  })
  const said = readPress(text)
  if (typeof said === "string") return yield* refuse(said, null)
  const digest = yield* digestOf(said.secret)
  const button = judgePress(buttons, { word: said.word, digest }, yield* Clock.currentTimeMillis)
  if (typeof button === "string") return yield* refuse(button, said.word)
  yield* Effect.catchTag(dispatch({ _tag: "TakePress", channel, message, digest, ...button }), "Refused", (refused) =>
    refuse(refused.message === outOfDate ? "passed" : "refused", said.word)
  )
})

/**
 * Listens for presses of the buttons of a watch or a run, while one of them counts, and to nothing otherwise. A
 * souffleur that comes later listens on after the last message in the log (spec: behaviour#answers-from-a-phone).
 */
export const listenToPhone = Effect.fn("listenToPhone")(function* <E extends Logged, R>(
  order: PhoneOrder<E, R>,
  revision: number
) {
  const { log, stream, subject } = order
  const channel = yield* answering
  if (channel === undefined) return
  let known: Known = { buttons: noButtons, revision: Math.max(0, revision - maxSearched) }
  let since: string | null = null
  let failures = 0
  for (;;) {
    known = yield* caughtUp(order, known)
    since ??= known.buttons.heard
    if (lastEnd(known.buttons) < (yield* Clock.currentTimeMillis)) {
      const offered = Stream.filter(log.changes(stream, known.revision), ({ event }) => event._tag === "ButtonsOffered")
      yield* Stream.runHead(offered)
      continue
    }
    const heard = yield* Effect.option(channel.hear(subject, since))
    failures = Option.isNone(heard) ? failures + 1 : 0
    for (const message of Option.getOrElse(heard, () => [])) {
      known = yield* caughtUp(order, known)
      yield* hearOne(order, known, message, channel.name)
      since = message.id
    }
    yield* Effect.sleep(
      failures === 0 ? heardPause : Duration.min(maxPause, Duration.times(minPause, 2 ** Math.min(10, failures - 1)))
    )
  }
})
