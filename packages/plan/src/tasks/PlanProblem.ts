import { letterDistance } from "@souffleur/domain"
import { type Schema, SchemaIssue } from "effect"

/** Where something is in the source of a plan. */
export type Place = ReadonlyArray<PropertyKey>

/** A fault of a plan and its place. */
export interface PlanProblem {
  readonly place: Place
  /** A sentence. */
  readonly what: string
}

const placeInWords = (place: Place) =>
  place
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("") || "the plan"

/** Maximum of problems that are told. */
const maxProblems = 100

/** Returns each problem as a sentence that says where. `lineOf`: the line of a place, where it is known. */
export const problemInWords = (
  problems: ReadonlyArray<PlanProblem>,
  lineOf: (place: Place) => number | undefined
): ReadonlyArray<string> => [
  ...problems.slice(0, maxProblems).map(({ place, what }) => {
    const line = lineOf(place)
    return `${placeInWords(place)}: ${what}${line === undefined ? "" : ` (line ${line})`}`
  }),
  ...(problems.length > maxProblems ? [`the plan: ${problems.length - maxProblems} more are wrong`] : [])
]

/**
 * Returns the known key that was likely meant. It is two letters away at most, one where the key is short, or a part of
 * it.
 */
export const likelyKey = (key: string, known: ReadonlyArray<string>): string | undefined => {
  const letters = (word: string) =>
    word
      .slice(0, 64)
      .toLowerCase()
      .replaceAll(/[^a-z]/gu, "")
  const word = letters(key)
  const [nearest] = known
    .map((name) => ({ name, far: letterDistance(word, letters(name)) }))
    .toSorted((a, b) => a.far - b.far)
  if (nearest !== undefined && nearest.far <= (word.length < 4 ? 1 : 2)) return nearest.name
  return known.find((name) => word.length > 3 && (letters(name).includes(word) || word.includes(letters(name))))
}

const missing = "it must be there"
const unknown = "there is no such key"
const quoted = "it must be a text: put it in quotes"
const listed = "it must be a list, each item behind a dash"
const issues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "MissingKey"
      ? missing
      : issue._tag === "UnexpectedKey"
        ? unknown
        : SchemaIssue.defaultLeafHook(issue)
})

/** Returns what no plan may have in a source. `keysAt`: the keys that are known in a place. */
export const problemsIn = (
  error: Schema.SchemaError,
  keysAt: (place: Place) => ReadonlyArray<string>
): ReadonlyArray<PlanProblem> =>
  issues(error.issue).issues.map(({ message, path = [] }) => {
    const place = path.map((part) => (typeof part === "object" ? part.key : part))
    // YAML takes 1.10, 2026-11-28, no and ~ for other things than texts.
    const what = message.replace(/^Expected string.*/su, quoted).replace(/^Expected array.*/su, listed)
    if (message !== unknown) return { place, what: what.slice(0, 200) }
    const known = keysAt(place.slice(0, -1))
    const likely = likelyKey(String(place.at(-1)), known)
    return {
      place,
      what: `${unknown}: ${likely === undefined ? `those here are ${known.join(", ")}` : `did you mean ${likely}?`}`
    }
  })
