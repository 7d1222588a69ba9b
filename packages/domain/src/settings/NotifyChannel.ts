import { Result } from "effect"

/** A server that gets notices. `words`: it gets the words of the agent too. */
export type ServerChannel =
  | { readonly _tag: "ntfy"; readonly url: string; readonly words: boolean }
  /** Its webhook is a secret, which no setting holds. */
  | { readonly _tag: "slack"; readonly words: boolean }
  | { readonly _tag: "telegram"; readonly chat: string; readonly words: boolean }

/** A place for notices (spec: settings#notify). */
export type NotifyChannel =
  | ServerChannel
  | { readonly _tag: "desktop" }
  | { readonly _tag: "command"; readonly command: string }

/** The server of a topic that names none. */
export const publicNtfy = "https://ntfy.sh"

/** What buttons mean, for the person who turns them on. */
export const answersMeaning =
  "notices of ntfy have buttons, and whoever can read the topic can press them: only you may read it"

/** The most channels of one setting. */
const maxChannels = 8
const topic = /^[-_A-Za-z0-9]{1,64}$/u
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

/** Returns whether a variable of souffleur is a secret, which no agent, no command of `run` and no service gets. */
export const isSecretVariable = (variable: string): boolean =>
  /^SOUFFLEUR_(?:HUB_DATABASE|NTFY_TOKEN|SLACK_URL|TELEGRAM_TOKEN)$/u.test(variable)

/** Reads the address of a server: https, or http on this machine alone. It holds no user and no password. */
export const serverUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.username !== "" || url.password !== "" || url.hash !== "") return undefined
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname)) ? url : undefined
}

const ntfyUrl = (target: string): string | undefined => {
  if (topic.test(target)) return `${publicNtfy}/${target}`
  const url = serverUrl(target)
  return url !== undefined && url.search === "" && topic.test(url.pathname.split("/").at(-1) ?? "")
    ? url.href
    : undefined
}

const form = /^(desktop|ntfy|slack|telegram)(\+words)?(?::(\S+))?$/u

const channelOf = (word: string): NotifyChannel | undefined => {
  const [, name, plus, target] = form.exec(word) ?? []
  const words = plus !== undefined
  switch (name) {
    case "desktop":
      return !words && target === undefined ? { _tag: name } : undefined
    case "ntfy": {
      const url = ntfyUrl(target ?? "")
      return url === undefined ? undefined : { _tag: name, url, words }
    }
    case "slack":
      return target === undefined ? { _tag: name, words } : undefined
    case "telegram":
      return /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/u.test(target ?? "")
        ? { _tag: name, chat: target ?? "", words }
        : undefined
    default:
      return undefined
  }
}

/**
 * Reads channels with spaces between them. `command:` is the last, and takes the rest of the line. A word that is no
 * channel is not repeated, since it may hold a secret.
 */
export const parseNotify = (text: string): Result.Result<ReadonlyArray<NotifyChannel>, string> => {
  const [, servers = "", command] = /^(.*?)(?:(?<!\S)command:(.*))?$/su.exec(text.trim()) ?? []
  const words = servers.split(/\s+/u).filter((word) => word !== "")
  const read = words.map(channelOf)
  const bad = read.indexOf(undefined)
  if (bad !== -1 || command?.trim() === "")
    return Result.fail(
      `must be channels with spaces between them, and number ${bad === -1 ? words.length + 1 : bad + 1} is none: ntfy:TOPIC, ntfy:https://SERVER/TOPIC, slack (its URL is a secret), telegram:CHAT, desktop, and last command:PROGRAM`
    )
  const channels = read.filter((channel) => channel !== undefined)
  if (command !== undefined) channels.push({ _tag: "command", command: command.trim() })
  return channels.length > maxChannels
    ? Result.fail(`must be at most ${maxChannels} channels`)
    : Result.succeed(channels)
}

/** Writes a channel as a setting names it. */
export const formatChannel = (channel: NotifyChannel): string => {
  switch (channel._tag) {
    case "desktop":
      return channel._tag
    case "command":
      return `command:${channel.command}`
    case "slack":
      return `slack${channel.words ? "+words" : ""}`
    case "ntfy":
      return `ntfy${channel.words ? "+words" : ""}:${channel.url}`
    case "telegram":
      return `telegram${channel.words ? "+words" : ""}:${channel.chat}`
  }
}
