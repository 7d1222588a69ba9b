import type { Choice } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { type Cause, Effect, Fiber, Queue, Stream } from "effect"
import { type NoticeButton, NoticeChannels, type NoticeLost, type NoticeMessage } from "./Notice.ts"

/** A notice that a channel did not take. */
export interface LostNotice {
  readonly channel: string
  readonly message: NoticeMessage
  readonly why: NoticeLost
}

/** Makes the buttons of a notice, and has their digests in the log before it is sent. */
export type Offer<R = never> = (
  message: NoticeMessage,
  choices: ReadonlyArray<Choice>
) => Effect.Effect<ReadonlyArray<NoticeButton>, never, R>

/** Returns the fields of a lost notice for the log. */
export const reportOfLost = ({ channel, message: { notice, revision }, why }: LostNotice) => ({
  channel,
  notice: notice.kind,
  of: revision,
  tries: why.tries,
  message: why.message
})

/** Warns of a lost notice in souffleur's own output. */
export const warnOfLost = ({ channel, message: { notice }, why }: LostNotice) =>
  Effect.logWarning(`${channel} did not take the notice "${notice.kind}": ${why.message}`)

/**
 * Sends the notices of one stream to each channel, in their order. A slow channel holds up no other. `mark` names the
 * cursor that counts the told revisions. `lost` is called with each notice that a channel gave up. `offer` makes the
 * buttons of a notice; absent: none has any.
 */
export const noticeDesk = Effect.fn("noticeDesk")(function* <R, R2 = never>(
  mark: string,
  lost: (notice: LostNotice) => Effect.Effect<unknown, never, R>,
  offer: Offer<R2> = () => Effect.succeed([])
) {
  const marks = yield* Cursor
  const workers = yield* Effect.forEach(
    yield* NoticeChannels,
    Effect.fnUntraced(function* (channel) {
      const queue = yield* Queue.unbounded<NoticeMessage, Cause.Done>()
      const fiber = yield* Stream.fromQueue(queue).pipe(
        Stream.runForEach((message) =>
          Effect.catchTag(channel.send(message), "NoticeLost", (why) =>
            Effect.asVoid(lost({ channel: channel.name, message, why }))
          )
        ),
        Effect.forkScoped
      )
      return { queue, fiber }
    })
  )
  return {
    /**
     * Tells each channel at most once of a revision, also across restarts. The mark comes first: a souffleur that
     * vanishes in between loses the notice, and no other souffleur repeats it.
     */
    tell: Effect.fn("noticeDesk.tell")(function* (message: NoticeMessage, choices: ReadonlyArray<Choice> = []) {
      if (message.revision <= (yield* marks.position(mark))) return
      // Another process may have told it since. Such a process was suspended, or is taken for dead.
      if (!(yield* marks.advance(mark, message.revision))) return
      const buttons = yield* offer(message, choices)
      yield* Effect.forEach(workers, ({ queue }) =>
        Queue.offer(queue, buttons.length === 0 ? message : { ...message, buttons })
      )
    }),
    /** Waits until each channel has taken or given up all notices. */
    close: Effect.andThen(
      Effect.forEach(workers, ({ queue }) => Queue.end(queue)),
      Fiber.joinAll(workers.map(({ fiber }) => fiber))
    )
  }
})
