import type { TurnState } from "@souffleur/domain"

/** Returns the reason of a failed turn by the status of HTTP that the service answered with. */
export const reasonOfStatus = (status: number): Extract<TurnState, { readonly _tag: "Failed" }>["reason"] => {
  if (status === 429) return "usage-limit"
  return status === 401 || status === 402 || status === 403 ? "account" : status >= 500 ? "outage" : "other"
}
