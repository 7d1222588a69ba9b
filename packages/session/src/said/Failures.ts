import type { TurnState } from "@souffleur/domain"

type Reason = Extract<TurnState, { readonly _tag: "Failed" }>["reason"]

/** Matches the words of services about a conversation that does not fit. Agents know it by their words too. */
const tooLong =
  /context[_ ](?:length|window)|prompt (?:is )?too long|request_too_large|too many tokens|input (?:is|token count|length)|maximum prompt length/iu

/** Returns the reason of a failed turn by the status of HTTP that the service answered with. */
export const reasonOfStatus = (status: number): Reason => {
  if (status === 429) return "usage-limit"
  return status === 401 || status === 402 || status === 403 ? "account" : status >= 500 ? "outage" : "other"
}

/** Returns the reason of a failed turn. Without a number as status the connection broke, or an answer did. */
export const failureReason = (status: unknown, words: string): Reason => {
  const reason = typeof status === "number" ? reasonOfStatus(status) : "outage"
  return reason === "other" && tooLong.test(words) ? "prompt-too-long" : reason
}
