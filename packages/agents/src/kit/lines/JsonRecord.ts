import { Bounds, epochOf } from "@souffleur/domain"
import { Predicate } from "effect"

/** A record of a session file. No field of it is judged yet. */
export type Json = Readonly<Record<string, unknown>>
/** Recognises an object, which is no array. */
export const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

/** Returns an object; empty: the value is none. */
export const jsonOf = (value: unknown): Json => (isJson(value) ? value : {})
/** Returns the objects of a list; empty: the value is none. */
export const objectsIn = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isJson) : [])
/** Returns the parts of a message. A text is one part. */
export const messageParts = (content: unknown): ReadonlyArray<Json> =>
  typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content)
/** Returns a text; empty: the value is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
/** Returns a number; `undefined`: the value is none. */
export const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/**
 * Returns whether a line begins as an object. A parser that fails takes forty times as long, and a file may hold no
 * record at all.
 */
export const beginsAsObject = (line: string): boolean => /^[ \t\r\n]*\{/u.test(line)

/** Parses a line of a session file. `undefined`: it is torn or malformed. */
export const recordOf = (line: string): Json | undefined => {
  if (!beginsAsObject(line)) return undefined
  try {
    const record: unknown = JSON.parse(line)
    return isJson(record) ? record : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the time of a record in epoch milliseconds: its `timestamp` as a text, or its `time` in that unit. A record
 * without one was written no later than `fallback`.
 */
export const timeOf = ({ time, timestamp }: Json, fallback: number): number =>
  Bounds.time(typeof timestamp === "string" ? epochOf(timestamp) : time) ?? fallback

/**
 * Sums the tokens of these counts, as the service or another in its place states them. A value that is no count is 0.
 */
export const tokensOf = (usage: unknown, names: ReadonlyArray<string>): number => {
  const counts = jsonOf(usage)
  return Bounds.sum(names.map((name) => Bounds.count(Object.hasOwn(counts, name) ? counts[name] : undefined) ?? 0))
}

/** Sums the tokens of these counts that are in no count of a cache. */
export const freshTokens = (usage: unknown, names: ReadonlyArray<string>, cached: ReadonlyArray<string>): number =>
  Math.max(0, tokensOf(usage, names) - tokensOf(usage, cached))
