import { Bounds, type EndWord, type EndWords } from "@souffleur/domain"
import { isJson, type Json } from "../../kit/lines/JsonRecord.ts"
import { reasonOfStatus, saidEnd } from "../../kit/said/Failures.ts"
import type { Saying } from "../../kit/said/Said.ts"
import { textsOf } from "./Records.ts"

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
  record["apiErrorStatus"] === 413 ||
  at(record, "apiErrorParams", "cut") === "context_window" ||
  (typeof record["errorDetails"] === "string" &&
    /"message":\s*"(?:prompt is too long|input length and)/u.test(record["errorDetails"]))

/** The agent's own words for an error, of a list that is closed (spec: reasons#claude-code). */
export const claudeWords: EndWords["words"] = {
  rate_limit: "usage-limit",
  server_error: "outage",
  overloaded: "outage",
  authentication_failed: "login",
  cloud_credential_error: "login",
  account_on_hold: "account",
  billing_error: "account",
  oauth_org_not_allowed: "account",
  verification_required: "account",
  model_not_found: "model",
  max_turns_reached: "cap",
  max_output_tokens: "cut",
  invalid_request: "other",
  unknown: "status"
}

const whyOf = (record: Json): EndWord => {
  const { apiErrorStatus: status, error } = record
  if (tooLong(record)) return "prompt-too-long"
  const word = typeof error === "string" && Object.hasOwn(claudeWords, error) ? claudeWords[error]! : "status"
  // An organisation that is closed gives the word of a login too.
  if (word === "login" && status === 403) return "account"
  return word !== "status" ? word : typeof status === "number" ? reasonOfStatus(status) : "other"
}

/**
 * Says how a turn ended that the model did not end. `undefined`: the agent put other words into the model's mouth.
 */
export const apiFailure = (record: Json): Saying | undefined => {
  if (record["isApiErrorMessage"] !== true) return undefined
  const [words = ""] = textsOf(record["message"])
  const said = saidEnd(whyOf(record), words)
  return said?._tag === "Failed" ? { ...said, resetsAt: resetOf(record) } : undefined
}
