import { type Comms, personsZone, type PhoneIntent, plain, type Zone } from "@souffleur/domain"
import {
  listenToPhone,
  type LostNotice,
  noticeDesk,
  offerButtons,
  reportOfLost,
  sendToAll,
  warnOfLost
} from "@souffleur/process"
import { Cursor, positionOf } from "@souffleur/eventlog"
import { Clock, Effect, Option, Stream } from "effect"
import { untilWritten } from "./CommsProjection.ts"
import { describeRunEvent } from "./DescribeRun.ts"
import { initialRun } from "../run/Run.ts"
import { evolveRun } from "../run/RunEvolution.ts"
import { dispatchRun, loadRun, RunLog, streamOf } from "../run/RunLog.ts"
import { answerTo, runChoices, type RunNotice, runNoticeOf } from "./RunNotice.ts"

/** Streams the events of a run with their notices, until its conductor leaves after `from`. */
const notices = Effect.fnUntraced(function* (id: string, from: number, zone?: Zone) {
  const log = yield* RunLog
  return log.changes(streamOf(id), 0).pipe(
    Stream.mapAccum(
      () => initialRun,
      (run, { event, revision }) =>
        [evolveRun(run, event), [{ event, revision, notice: runNoticeOf(event, run, zone) }]] as const
    ),
    Stream.takeUntil(({ event, revision }) => event._tag === "RunLeft" && revision > from)
  )
})

/** The readers of a run beside its log. */
export interface Audience {
  readonly project: string
  readonly comms: Option.Option<Comms["Service"]>
}

/** Writes a notice as one message in comms, with the command that answers it. */
const inFull = (id: string, { text, words }: RunNotice, answer: string | undefined): string =>
  [
    `Run ${id}: ${text}`,
    ...(words === null ? [] : [words]),
    ...(answer === undefined ? [] : [`Answer with: ${answer}`])
  ].join(" ")

/** How long an outcry waits for comms. */
const outcryTimeout = "10 seconds"

/**
 * Tells a person that the conductor of a run has to stop. No event can say it, because the log cannot be used or the
 * run has not begun. Sets no mark, so that another process may tell it again.
 */
export const outcry = Effect.fn("RunPublisher.outcry")(function* (
  id: string,
  { comms, project }: Audience,
  why: string
) {
  const at = yield* Clock.currentTimeMillis
  const text = `it cannot go on: ${why}`
  const notice = { kind: "paused", state: "needs you", text, words: null, next: "souffleur conduct status" } as const
  const calls = sendToAll({ subject: { run: id, project }, notice })
  const message = { key: `${streamOf(id)}#cannot-${at}`, kind: "error", text: plain(`Run ${id}: ${text}`), at } as const
  const posts = Option.match(comms, {
    onNone: () => Effect.void,
    onSome: ({ post }) => Effect.asVoid(Effect.timeoutOption(Effect.ignore(untilWritten(post(message))), outcryTimeout))
  })
  yield* Effect.all([calls, posts], { concurrency: 2, discard: true })
})

const phoneOf = Effect.fnUntraced(function* (id: string, project: string) {
  const log = yield* RunLog
  const dispatch = (intent: PhoneIntent) =>
    Effect.provideService(dispatchRun(id, intent, { _tag: "Operator" }), RunLog, log)
  return { log, stream: streamOf(id), subject: { run: id, project }, dispatch }
})

/** Listens for presses of the buttons of a run's notices (spec: behaviour#answers-from-a-phone). */
export const hearRun = Effect.fn("hearRun")(function* (id: string, project: string) {
  yield* listenToPhone(yield* phoneOf(id, project), (yield* loadRun(id)).revision)
})

/**
 * Tells a person about a run as about a watch, by its channels of notices and by messages in comms. It ends when the
 * conductor leaves after revision `from`. Notices that an earlier conductor did not tell come first. Neither channel
 * waits for the other.
 */
export const publishRun = Effect.fn("publishRun")(function* (id: string, from: number, { comms, project }: Audience) {
  const cursor = yield* Cursor
  const stream = streamOf(id)
  const newest = Effect.map(loadRun(id), ({ revision }) => revision)
  const mark = `${stream}/notified`
  yield* positionOf(mark, newest)
  const ofPerson = yield* notices(id, from, yield* personsZone)
  // A notice may be lost when the conductor has left.
  const lost = (one: LostNotice) =>
    Effect.catch(dispatchRun(id, { _tag: "ReportNoticeLost", ...reportOfLost(one) }, { _tag: "Operator" }), () =>
      warnOfLost(one)
    )
  const desk = yield* noticeDesk(mark, lost, offerButtons(yield* phoneOf(id, project)))
  const pages = Stream.runForEach(ofPerson, ({ event, notice, revision }) =>
    notice === undefined
      ? Effect.void
      : desk.tell({ subject: { run: id, project }, revision, at: event.at, notice }, runChoices(event))
  ).pipe(Effect.andThen(desk.close))
  const messages = Effect.fnUntraced(function* (link: Comms["Service"]) {
    const published = yield* positionOf(stream, newest)
    // Comms is read by agents, whose clock is UTC.
    const all = yield* notices(id, from)
    yield* Stream.runForEach(all, ({ event, notice, revision }) =>
      notice === undefined || revision <= published
        ? Effect.void
        : untilWritten(
            link.post({
              key: `${stream}#${revision}`,
              kind: describeRunEvent(event).message ?? "system",
              text: plain(inFull(id, notice, answerTo(event))),
              at: event.at
            })
          ).pipe(Effect.andThen(cursor.advance(stream, revision)))
    )
  })
  yield* Effect.all([pages, Option.match(comms, { onNone: () => Effect.void, onSome: messages })], {
    concurrency: 2,
    discard: true
  })
}, Effect.scoped)
