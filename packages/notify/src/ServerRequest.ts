import { serverUrl, type ServerChannel } from "@souffleur/domain"
import { NoticeLost } from "@souffleur/process"
import { Effect, Option, Redacted } from "effect"
import type { Delivery } from "./Delivery.ts"
import { bodyOf, type LinkedMessage, type Loudness, noticeTitle, pathless } from "./NoticeText.ts"
import { type SecretPlaces, secretOf, tokenOf } from "./NoticeSecret.ts"

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
      const secret = yield* secretOf("NTFY_TOKEN", places)
      const token = Option.isNone(secret) ? undefined : tokenOf("NTFY_TOKEN", secret.value)
      if (Option.isSome(secret) && token === undefined)
        return yield* lost("NTFY_TOKEN is no token: TOKEN, or TOKEN@https://SERVER")
      const its = token !== undefined && channel.url.startsWith(`${token.server}/`) ? token.value : undefined
      return ntfy(channel.url, its, { title, message: text, priority: priorities[loudness] })
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
