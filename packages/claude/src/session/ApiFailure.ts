import { isJson, type Json, reasonOfStatus } from "@souffleur/session"
import { Bounds, plain, type TurnState } from "@souffleur/domain"
import { textsOf } from "./Records.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

const at = (record: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), record)

/** Paths of the service's own statement of a limit: at a retry, and at the end of a turn. */
const resets = [
  ["error", "rateLimits", "resetsAt"],
  ["quotaLimits", "resetsAt"],
  ["apiErrorParams", "rate_limit_info", "resetsAt"]
]

/** UTF-16 units of the agent's words for a failure. */
const maxWords = 80

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
  record["apiErrorStatus"] === 413 ||
  at(record, "apiErrorParams", "cut") === "context_window" ||
  (typeof record["errorDetails"] === "string" &&
    /"message":\s*"(?:prompt is too long|input length and)/u.test(record["errorDetails"]))

/** Reads the agent's own word for an error, of a list that is closed (spec: claude-code#ends). */
const whyOf = (record: Json): Failed["reason"] => {
  const status = record["apiErrorStatus"]
  if (tooLong(record)) return "prompt-too-long"
  switch (record["error"]) {
    case "rate_limit":
      return "usage-limit"
    case "server_error":
    case "overloaded":
      return "outage"
    case "authentication_failed":
    case "cloud_credential_error":
      // An organisation that is closed gives this word too.
      return status === 403 ? "account" : "login"
    case "account_on_hold":
    case "billing_error":
    case "oauth_org_not_allowed":
    case "verification_required":
      return "account"
    case "model_not_found":
      return "model"
    case "invalid_request":
    case "max_output_tokens":
      return "other"
    default:
      return typeof status === "number" ? reasonOfStatus(status) : "other"
  }
}

/**
 * Returns how a turn ended that the model did not end. `undefined`: the agent put other words into the model's mouth.
 */
export const failureOf = (record: Json, time: number): Failed | undefined => {
  if (record["isApiErrorMessage"] !== true) return undefined
  const reason = whyOf(record)
  const [words = ""] = textsOf(record["message"])
  // An answer that was cut off is no error of the service: the session goes on from there.
  const unknown = reason === "other" && record["error"] !== "max_output_tokens" && words !== ""
  return {
    _tag: "Failed",
    at: time,
    reason,
    resetsAt: resetOf(record),
    ...(unknown ? { words: plain(words, maxWords) } : {})
  }
}
