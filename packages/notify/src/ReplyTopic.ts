import { digestOf, type NotifyChannel } from "@souffleur/domain"
import { NoticeLost } from "@souffleur/process"
import { Effect, Option } from "effect"
import { type SecretPlaces, secretOf, type Token, tokenOf } from "./NoticeSecret.ts"

/** Where the presses of a channel come in, and with which token it is read. */
export interface ReplyTopic {
  readonly url: string
  readonly token: string
}

const lost = (message: string) => new NoticeLost({ tries: 0, message })

/** Reads the token for a server of ntfy. `undefined`: there is none. Fails with `NoticeLost` where it has no form. */
export const ntfyToken = Effect.fn("ntfyToken")(function* (url: string, places: SecretPlaces) {
  const secret = yield* secretOf("NTFY_TOKEN", places)
  if (Option.isNone(secret)) return undefined
  const token: Token | undefined = tokenOf("NTFY_TOKEN", secret.value)
  if (token === undefined) return yield* lost("NTFY_TOKEN is no token: TOKEN, or TOKEN@https://SERVER")
  return url.startsWith(`${token.server}/`) ? token.value : undefined
})

/** Characters of a token that nobody guesses. Those of ntfy have 32. */
const minToken = 20

/** Returns why notices have no buttons, for a person who wants them; `null`: they have. */
export const answersProblem = Effect.fn("answersProblem")(function* (
  channels: ReadonlyArray<NotifyChannel>,
  places: SecretPlaces
) {
  const first = channels.find(({ _tag }) => _tag === "ntfy")
  if (first === undefined) return "NOTIFY names no topic of ntfy, and only ntfy brings answers back"
  return yield* Effect.match(replyTopic(first, {}, places), {
    onSuccess: () => null,
    onFailure: ({ message }) => message
  })
})

/**
 * Returns the topic by which answers to the notices of a watch or a run come back, on the server of its notices. Nobody
 * guesses it, since it is made of the token. Fails with `NoticeLost` without a token: whoever reads a notice can press
 * its buttons, and everybody reads a topic of a server that asks for none.
 */
export const replyTopic = Effect.fn("replyTopic")(function* (
  channel: NotifyChannel,
  { run = "", watch = "" }: Partial<Readonly<Record<string, string>>>,
  places: SecretPlaces
) {
  if (channel._tag !== "ntfy") return yield* lost("only ntfy brings answers back")
  const token = yield* ntfyToken(channel.url, places)
  if (token === undefined || token.length < minToken)
    return yield* lost(
      "its notices have no buttons, since whoever reads one can press them: set SOUFFLEUR_NTFY_TOKEN to an access token for its server, and use a topic that only you can read"
    )
  const name = yield* digestOf(JSON.stringify(["souffleur answers", token, channel.url, watch, run]))
  const server = channel.url.slice(0, channel.url.lastIndexOf("/"))
  return { url: `${server}/souffleur-${name.slice(0, 40)}`, token } satisfies ReplyTopic
})
