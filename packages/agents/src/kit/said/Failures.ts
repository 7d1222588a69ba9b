import type { EndWord, FailedReason } from "@souffleur/domain"
import type { Saying } from "./Said.ts"

/** Matches the words of services about a conversation that does not fit. Agents know it by their words too. */
const tooLong =
  /context[_ ](?:length|window)|prompt (?:is )?too long|request_too_large|too many tokens|input (?:is|token count|length)|maximum prompt length/iu

/** Matches the words of services about a bill that is not paid. They come with 400 and 429 as well. */
const unpaid = /insufficient_quota|credit balance|billing_(?:error|hard_limit|not_active)|check your plan and billing/iu

/** Matches the words of agents and services about a login that is missing or over. They come without a status too. */
const loggedOut =
  /no api key|(?:oauth|token) refresh (?:failed|unauthorized)|invalid_grant|no authentication method|api key auth(?:entication)? (?:check )?failed|incorrect api key|oauth token (?:has )?expired/iu

/** The reasons of a failed turn by the status of HTTP that the service answered with (spec: reasons#by-status). */
export const statuses: Readonly<Record<number, FailedReason>> = {
  401: "login",
  402: "account",
  403: "account",
  404: "model",
  408: "outage",
  413: "prompt-too-long",
  429: "usage-limit"
}

/** Returns the reason of a failed turn by the status of HTTP that the service answered with. */
export const reasonOfStatus = (status: number): FailedReason => statuses[status] ?? (status >= 500 ? "outage" : "other")

/** Returns the reason of a failed turn. Without a number as status the connection broke, or an answer did. */
export const failureReason = (status: unknown, words: string): FailedReason => {
  if (unpaid.test(words)) return "account"
  const reason = typeof status === "number" ? reasonOfStatus(status) : loggedOut.test(words) ? "login" : "outage"
  if (reason !== "other") return reason
  return tooLong.test(words) ? "prompt-too-long" : loggedOut.test(words) ? "login" : "other"
}

/**
 * Says how a turn ended, by the agent's word for it. `undefined`: the word is unknown. What such a word and a used-up
 * limit come from, the agent's own `text` may tell. `status`: the status of HTTP beside it.
 */
export const saidEnd = (word: EndWord | undefined, text: string, status?: unknown): Saying | undefined => {
  switch (word) {
    case "ended":
      return { _tag: "Ended" }
    case "asks":
      return undefined
    case "cut":
      return { _tag: "Failed", reason: "other" }
    case "status":
      return { _tag: "Failed", reason: failureReason(status, text), words: text }
    case "other":
    case undefined:
      return { _tag: "Failed", reason: failureReason(400, text), words: text }
    case "usage-limit":
      return { _tag: "Failed", reason: failureReason(429, text), words: text }
    default:
      return { _tag: "Failed", reason: word, words: text }
  }
}
