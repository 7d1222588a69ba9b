import { answersProblem } from "@souffleur/notify"
import type { NoticeChannel, NoticeMessage } from "@souffleur/process"
import { Clock, Effect } from "effect"
import { noticeChannels } from "./NoticeWiring.ts"
import { opening } from "../world/ConfigTrust.ts"
import { Installation } from "../world/Installation.ts"
import { layerHost } from "../world/StoreLayers.ts"

/** The answer of a channel to a notice. */
export interface NoticeAnswer {
  readonly channel: string
  /** Why it did not take the notice; `null`: it took it. */
  readonly problem: string | null
}

/** Sends a notice once, and returns what the channel answered. */
const tried = Effect.fnUntraced(function* ({ name, send }: NoticeChannel, message: NoticeMessage) {
  const problem = yield* send(message, true).pipe(
    Effect.as(null),
    Effect.catchTag("NoticeLost", ({ message }) => Effect.succeed(message))
  )
  return { channel: name, problem } satisfies NoticeAnswer
})

/**
 * Sends one notice to each channel of a project, and says what each answered. A channel may be a program that the
 * config file names. The file is trusted on the same terms as when a watch opens.
 */
export const tryNotices = Effect.fn("tryNotices")(function* (project: string) {
  const { settings } = yield* opening(project)
  const message: NoticeMessage = {
    subject: { watch: "test", project },
    revision: 0,
    at: yield* Clock.currentTimeMillis,
    notice: {
      kind: "test",
      state: "working",
      text: "This is a test of souffleur's notices.",
      words: null,
      next: "souffleur status"
    }
  }
  const channels = yield* Effect.provide(noticeChannels(settings), layerHost)
  const answers = yield* Effect.forEach(channels, (channel) => tried(channel, message), { concurrency: "unbounded" })
  const { variables } = yield* Installation
  const problem =
    settings.notifyAnswers === "no" ? null : yield* answersProblem(settings.notify, { variables, ...settings })
  return problem === null ? answers : [...answers, { channel: "answers", problem }]
})
