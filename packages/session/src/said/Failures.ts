import type { TurnState } from "@souffleur/domain"

type Reason = Extract<TurnState, { readonly _tag: "Failed" }>["reason"]

/** Matches the words of services about a conversation that does not fit. Agents know it by their words too. */
const tooLong =
  /context[_ ](?:length|window)|prompt (?:is )?too long|request_too_large|too many tokens|input (?:is|token count|length)|maximum prompt length/iu

/** Matches the words of services about a bill that is not paid. They come with 400 and 429 as well. */
const unpaid = /insufficient_quota|credit balance|billing_(?:error|hard_limit|not_active)/iu

const statuses: Readonly<Record<number, Reason>> = {
  401: "login",
  402: "account",
  403: "account",
  404: "model",
  413: "prompt-too-long",
  429: "usage-limit"
}

/** Returns the reason of a failed turn by the status of HTTP that the service answered with. */
export const reasonOfStatus = (status: number): Reason => statuses[status] ?? (status >= 500 ? "outage" : "other")

/** Returns the reason of a failed turn. Without a number as status the connection broke, or an answer did. */
export const failureReason = (status: unknown, words: string): Reason => {
  if (unpaid.test(words)) return "account"
  const reason = typeof status === "number" ? reasonOfStatus(status) : "outage"
  return reason === "other" && tooLong.test(words) ? "prompt-too-long" : reason
}
