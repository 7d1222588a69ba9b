import { Clock, Effect } from "effect"
import { NoticeChannels, type NoticeMessage } from "./Notice.ts"

/**
 * Sends what no event can say to each channel of notices, with one try each. It sets no mark, so that another process
 * may send it again. A channel that does not take it gets a warning in souffleur's own output.
 */
export const sendToAll = Effect.fn("sendToAll")(function* (message: Pick<NoticeMessage, "subject" | "notice">) {
  const at = yield* Clock.currentTimeMillis
  yield* Effect.forEach(
    yield* NoticeChannels,
    (channel) =>
      channel
        .send({ ...message, revision: 0, at }, true)
        .pipe(Effect.catchTag("NoticeLost", (why) => Effect.logWarning(`${channel.name}: ${why.message}`))),
    { concurrency: "unbounded", discard: true }
  )
})
