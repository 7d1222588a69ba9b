import { type PhoneWord, serverUrl, type ServerChannel } from "@souffleur/domain"
import { type NoticeButton, NoticeLost } from "@souffleur/process"
import { Effect, Option, Redacted } from "effect"
import type { Delivery } from "./Delivery.ts"
import { bodyOf, type LinkedMessage, type Loudness, noticeTitle, pathless } from "./NoticeText.ts"
import { type SecretPlaces, secretOf, tokenOf } from "./NoticeSecret.ts"
import { ntfyToken, replyTopic } from "./ReplyTopic.ts"

/** A request to a server, with a body of JSON. Foreign words are in the body alone. */
export type ServerRequest = Pick<Delivery, "url" | "headers" | "body">

const lost = (message: string) => new NoticeLost({ tries: 0, message })
const kept = (name: string) => `set SOUFFLEUR_${name}, or write ${name}=… into "secrets" (0600) in the state folder`

/** Priorities of ntfy: 4 is high, 3 usual, 2 is without sound. */
const priorities = { pressing: 4, usual: 3, quiet: 2 } as const

/** Escapes the three signs by which Slack knows links and mentions. */
const slackText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const ntfy = (url: string, token: string | undefined, body: Readonly<Record<string, unknown>>): ServerRequest => {
  const at = url.lastIndexOf("/")
  return {
    url: url.slice(0, at + 1),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: JSON.stringify({ topic: url.slice(at + 1), ...body })
  }
}

const labels: Readonly<Record<PhoneWord, string>> = {
  hold: "Hold",
  go: "Go on",
  retry: "Retry",
  done: "Done",
  skip: "Skip"
}

/** The buttons of ntfy, three at most. The secret of each is in the body of its press alone, and no token is in it. */
const actionsOf = (url: string, buttons: ReadonlyArray<NoticeButton>) => ({
  actions: buttons.slice(0, 3).map(({ secret, word }) => ({
    action: "http",
    label: labels[word],
    url,
    method: "POST",
    // A press is for souffleur, and for no phone.
    headers: { Firebase: "no" },
    body: JSON.stringify({ word, secret: Redacted.value(secret) }),
    clear: true
  }))
})

/**
 * Makes the request that brings a notice to a server. Fails with `NoticeLost` where its secret is missing or of another
 * form.
 */
export const serverRequest = Effect.fn("serverRequest")(function* (
  channel: ServerChannel,
  message: LinkedMessage,
  loudness: Loudness,
  places: SecretPlaces
) {
  const own = { ...message, notice: { ...message.notice, text: pathless(message.notice.text) } }
  const [title, text] = [noticeTitle(message), bodyOf(own, channel.words)]
  switch (channel._tag) {
    case "ntfy": {
      const token = yield* ntfyToken(channel.url, places)
      const { buttons = [], subject } = message
      const actions = buttons.length === 0 ? {} : actionsOf((yield* replyTopic(channel, subject, places)).url, buttons)
      return ntfy(channel.url, token, { title, message: text, priority: priorities[loudness], ...actions })
    }
    case "slack": {
      const secret = yield* secretOf("SLACK_URL", places)
      if (Option.isNone(secret)) return yield* lost(`the URL of Slack is missing: ${kept("SLACK_URL")}`)
      const url = serverUrl(Redacted.value(secret.value))
      if (url === undefined) return yield* lost("SLACK_URL is no https URL")
      // Nothing in the text is markup, a mention, or a page to fetch.
      const body = { text: slackText(`${title}\n${text}`), mrkdwn: false, parse: "none", unfurl_links: false }
      return { url: url.href, headers: {}, body: JSON.stringify(body) } satisfies ServerRequest
    }
    case "telegram": {
      const secret = yield* secretOf("TELEGRAM_TOKEN", places)
      if (Option.isNone(secret)) return yield* lost(`the token of Telegram is missing: ${kept("TELEGRAM_TOKEN")}`)
      const token = tokenOf("TELEGRAM_TOKEN", secret.value)
      if (token === undefined) return yield* lost("TELEGRAM_TOKEN is no token of a bot")
      // Without `parse_mode` no sign of the text is markup.
      const body = {
        chat_id: channel.chat,
        text: `${title}\n${text}`,
        disable_notification: loudness === "quiet",
        link_preview_options: { is_disabled: true }
      }
      const request = { url: `${token.server}/bot${token.value}/sendMessage`, headers: {}, body: JSON.stringify(body) }
      return request satisfies ServerRequest
    }
  }
})
