import { isJson, type Json } from "@souffleur/session"
import { Bounds, type TurnState } from "@souffleur/domain"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

const at = (record: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), record)

/** Paths of the service's own statement of a limit: at a retry, and at the end of a turn. */
const resets = [
  ["error", "rateLimits", "resetsAt"],
  ["quotaLimits", "resetsAt"],
  ["apiErrorParams", "rate_limit_info", "resetsAt"]
]

/** Limit of a value in seconds. As seconds it is the year 5138, and as milliseconds 1973. */
const secondsAtMost = 1e11

/**
 * Returns the end of a usage limit in epoch milliseconds. `undefined`: the record states none, since its text is no
 * evidence.
 */
export const resetOf = (record: Json): number | undefined => {
  const stated = resets
    .map((path) => at(record, ...path))
    .find((value): value is number => typeof value === "number" && value > 0)
  // The service states seconds. Another service in its place may state milliseconds.
  return stated === undefined ? undefined : Bounds.time(stated < secondsAtMost ? stated * 1000 : stated)
}

/** The agent keeps the service's own error beside its words for people. */
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

/**
 * Returns how a turn ended that the model did not end. `undefined`: the agent put other words into the model's mouth.
 */
export const failureOf = (record: Json, time: number): Failed | undefined =>
  record["isApiErrorMessage"] === true
    ? { _tag: "Failed", at: time, reason: whyOf(record), resetsAt: resetOf(record) }
    : undefined
