import { type Schema, SchemaIssue } from "effect"

type Place = ReadonlyArray<PropertyKey>

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

interface Mark {
  readonly line: number
  readonly indent: number
  /** `undefined`: the mark begins an entry of a list. */
  readonly key: string | undefined
}

/** A line of YAML in block style. It may begin an entry of a list, and a key in that. */
const shape = /^( *)(-(?: +|$))?(?:(["']?)([^\s"':#]+)\3:(?=\s|$))?/u

const marksOf = (text: string): ReadonlyArray<Mark> =>
  text.split(/\r?\n/u).flatMap((written, index) => {
    const [, blanks = "", dash, , key] = shape.exec(written) ?? []
    const line = index + 1
    return [
      ...(dash === undefined ? [] : [{ line, indent: blanks.length, key: undefined }]),
      ...(key === undefined ? [] : [{ line, indent: blanks.length + (dash ?? "").length, key }])
    ]
  })

/** Returns the line of a place, or of the part around it, as far as block style shows it. The parser keeps no lines. */
const lineOf = (marks: ReadonlyArray<Mark>, place: Place): number | undefined => {
  let inside: { readonly at: number; readonly mark: Mark } | undefined
  for (const part of place) {
    let level: number | undefined
    let entries = 0
    let found: typeof inside
    for (const [at, mark] of marks.entries()) {
      if (at <= (inside?.at ?? -1)) continue
      const isEntry = mark.key === undefined
      const outside = inside?.mark.indent ?? -1
      // The entries of a list may be indented as its key is.
      if (mark.indent < outside || (mark.indent === outside && !(isEntry && typeof part === "number"))) break
      level ??= mark.indent
      if (mark.indent === level && (typeof part === "number" ? isEntry && entries++ === part : mark.key === part)) {
        found = { at, mark }
        break
      }
    }
    if (found === undefined) break
    inside = found
  }
  return inside?.mark.line
}

/** Maximum of problems that are told. */
const maxProblems = 100

/** Returns each problem as a sentence that says where. `above`: lines of the file before the text. */
export const problemInWords = (
  problems: ReadonlyArray<PlanProblem>,
  text: string,
  above: number
): ReadonlyArray<string> => {
  const marks = marksOf(text)
  return [
    ...problems.slice(0, maxProblems).map(({ place, what }) => {
      const line = lineOf(marks, place)
      return `${placeInWords(place)}: ${what}${line === undefined ? "" : ` (line ${line + above})`}`
    }),
    ...(problems.length > maxProblems ? [`the plan: ${problems.length - maxProblems} more are wrong`] : [])
  ]
}

/** Counts the letters that differ, are too many or too few between two words. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let to = 1; to <= other.length; to++)
      next.push(Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (letter === other[to - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

/**
 * Returns the known key that was likely meant. It is two letters away at most, one where the key is short, or a part of
 * it.
 */
const meant = (key: string, known: ReadonlyArray<string>): string | undefined => {
  const letters = (word: string) =>
    word
      .slice(0, 64)
      .toLowerCase()
      .replaceAll(/[^a-z]/gu, "")
  const word = letters(key)
  const [nearest] = known
    .map((name) => ({ name, far: distance(word, letters(name)) }))
    .toSorted((a, b) => a.far - b.far)
  if (nearest !== undefined && nearest.far <= (word.length < 4 ? 1 : 2)) return nearest.name
  return known.find((name) => word.length > 3 && (letters(name).includes(word) || word.includes(letters(name))))
}

const missing = "it must be there"
const unknown = "there is no such key"
const quoted = "it must be a text: put it in quotes"
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
    if (message !== unknown) return { place, what: message.replace(/^Expected string.*/su, quoted).slice(0, 200) }
    const known = keysAt(place.slice(0, -1))
    const likely = meant(String(place.at(-1)), known)
    return {
      place,
      what: `${unknown}: ${likely === undefined ? `those here are ${known.join(", ")}` : `did you mean ${likely}?`}`
    }
  })
