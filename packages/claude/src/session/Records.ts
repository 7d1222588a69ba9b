import { Bounds } from "@souffleur/domain"
import { Predicate } from "effect"

export type Json = Readonly<Record<string, unknown>>
export const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

/** A parser that fails takes forty times as long as this look, and a file may be all lines that are no record. */
export const beginsAsObject = (line: string): boolean => /^[ \t\r\n]*\{/u.test(line)

/** A line of a session file; `undefined` where it is torn or malformed. */
export const recordOf = (line: string): Json | undefined => {
  if (!beginsAsObject(line)) return undefined
  try {
    const record: unknown = JSON.parse(line)
    return isJson(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** Of the conversation itself: not a subagent's, and not what the agent tells the model unseen. */
export const isMain = (record: Json): boolean => record["isSidechain"] !== true && record["isMeta"] !== true

/** Epoch ms; a record without a time of its own was written no later than `fallback`. */
export const timeOf = (record: Json, fallback: number): number => {
  const { timestamp } = record
  return (typeof timestamp === "string" ? Bounds.time(Date.parse(timestamp)) : undefined) ?? fallback
}

/** Tokens by the service's own counts of these names, or another's in its place: what is no count is nothing. */
export const tokensOf = (usage: Json, names: ReadonlyArray<string>): number =>
  Bounds.sum(names.map((name) => Bounds.count(Object.hasOwn(usage, name) ? usage[name] : undefined) ?? 0))

/**
 * The message of what the model itself said: no word that the agent put into its mouth, and no error of the service.
 */
export const answerOf = (record: Json): Json | undefined => {
  const message = record["message"]
  if (record["type"] !== "assistant" || record["isApiErrorMessage"] === true || !isJson(message)) return undefined
  return message["model"] === "<synthetic>" ? undefined : message
}

/** The blocks of a message; of one that is plain text, none. */
export const blocksOf = (message: unknown): ReadonlyArray<Json> => {
  const content = isJson(message) ? message["content"] : undefined
  return Array.isArray(content) ? content.filter(isJson) : []
}

/** What was said in a message, as far as it is text. */
export const textsOf = (message: unknown): ReadonlyArray<string> => {
  const content = isJson(message) ? message["content"] : undefined
  if (typeof content === "string") return [content]
  return blocksOf(message).flatMap(({ text, type }) => (type === "text" && typeof text === "string" ? [text] : []))
}
