import { Clock, Effect } from "effect"
import { type NoticeChannel, NoticeChannels, type NoticeMessage } from "./Notice.ts"

/**
 * Sends what no event can say to each channel of notices, with one try each. It sets no mark, so that another process
 * may send it again. Returns the channels that did not take it. Each of them gets a warning in souffleur's own output.
 */
export const sendToAll = Effect.fn("sendToAll")(function* (message: Pick<NoticeMessage, "subject" | "notice">) {
  const at = yield* Clock.currentTimeMillis
  const missed = yield* Effect.forEach(
    yield* NoticeChannels,
    (channel): Effect.Effect<ReadonlyArray<NoticeChannel>> =>
      channel.send({ ...message, revision: 0, at }, true).pipe(
        Effect.as([]),
        Effect.catchTag("NoticeLost", (why) =>
          Effect.as(Effect.logWarning(`${channel.name}: ${why.message}`), [channel])
        )
      ),
    { concurrency: "unbounded" }
  )
  return missed.flat()
})
