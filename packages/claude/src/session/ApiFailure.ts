import { Bounds, type TurnState } from "@souffleur/domain"
import { isJson, type Json } from "./Records.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

const at = (record: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), record)

/** Where the agent keeps the service's own account of a limit: at a retry, and at the end of a turn. */
const resets = [
  ["error", "rateLimits", "resetsAt"],
  ["quotaLimits", "resetsAt"],
  ["apiErrorParams", "rate_limit_info", "resetsAt"]
]

/**
 * Seconds since the epoch end long before as many milliseconds begin to mean today: this one is in the year 5138, or in
 * 1973.
 */
const secondsAtMost = 1e11

/** When a usage limit ends, epoch ms; `undefined` where the record states none: what its text says is no evidence. */
export const resetOf = (record: Json): number | undefined => {
  const stated = resets
    .map((path) => at(record, ...path))
    .find((value): value is number => typeof value === "number" && value > 0)
  // Seconds, as the service states them; or milliseconds, as another that stands in its place may.
  return stated === undefined ? undefined : Bounds.time(stated < secondsAtMost ? stated * 1000 : stated)
}

/** The service's own error, which the agent keeps whole beside its words for people. */
const tooLong = (record: Json): boolean =>
  typeof record["errorDetails"] === "string" &&
  /"message":\s*"(?:prompt is too long|input length and)/u.test(record["errorDetails"])

const whyOf = (record: Json): Failed["reason"] => {
  const status = record["apiErrorStatus"]
  switch (record["error"]) {
    case "rate_limit":
      return "usage-limit"
    case "server_error":
    case "overloaded":
      return "outage"
    case "account_on_hold":
    case "authentication_failed":
    case "billing_error":
    case "cloud_credential_error":
    case "oauth_org_not_allowed":
    case "verification_required":
      return "account"
    case "invalid_request":
      return tooLong(record) ? "prompt-too-long" : "other"
    default:
      return typeof status === "number" && status >= 500 ? "outage" : status === 429 ? "usage-limit" : "other"
  }
}

/** How a turn ended that the model did not end; `undefined` for other words that the agent put into its mouth. */
export const failureOf = (record: Json, time: number): Failed | undefined =>
  record["isApiErrorMessage"] === true
    ? { _tag: "Failed", at: time, reason: whyOf(record), resetsAt: resetOf(record) }
    : undefined
