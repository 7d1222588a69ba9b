import { Option, Schema } from "effect"
import { jsonReading } from "./JsonForms.ts"
import { outlineOf, partOf, type Outline } from "./Outline.ts"
import { asDescribed, type PlanReading, type ReadTask } from "./PlanReading.ts"

const Issues = Schema.NonEmptyArray(
  Schema.Struct({ number: Schema.Int, title: Schema.String, body: Schema.NullOr(Schema.String) })
)
const decodeIssues = Schema.decodeUnknownOption(Issues)

/** Returns the boxes, or the items, below the heading of an issue's acceptance criteria. */
const criteriaIn = (outline: Outline): ReadonlyArray<string> => {
  const section = outline.sections.find(({ title }) => /^acceptance criteria$/iu.test(title.replace(/:$/u, "")))
  return section === undefined ? [] : partOf(outline, section).flatMap(({ boxes }) => boxes.map(({ text }) => text))
}

const waits = /^(?:blocked by|depends on)[: ]+(.*)$/gimu

/** Reads issues as `gh issue list --json number,title,body` prints them; `undefined`: it is something else. */
const githubReading = (json: unknown): PlanReading | undefined => {
  const issues = Option.getOrUndefined(decodeIssues(json))
  if (issues === undefined) return undefined
  const sorted = issues.toSorted((one, other) => one.number - other.number)
  const numbers = new Set(sorted.map(({ number }) => number))
  const tasks = sorted.map(({ body, number, title }): ReadTask => {
    const said = body ?? ""
    const criteria = criteriaIn(outlineOf(said))
    const others = [...said.matchAll(waits)].flatMap(([, words = ""]) =>
      [...words.matchAll(/#(\d+)/gu)].map(([, other]) => Number(other))
    )
    const ids = [...new Set(others)].filter((other) => other !== number && numbers.has(other))
    return {
      id: `issue-${number}`,
      title,
      description: said.trim() === "" ? title : said.trim(),
      acceptance_criteria: criteria.length === 0 ? asDescribed : criteria,
      ...(ids.length === 0 ? {} : { depends_on: ids.map((id) => `issue-${id}`) })
    }
  })
  return { form: "a task each issue of GitHub", source: { tasks }, lines: [], leftOut: [] }
}

/** Reads what the program of a tracker printed; `undefined`: it is no list of issues. */
export const trackedReading = (json: unknown): PlanReading | undefined => {
  const reading = githubReading(json) ?? jsonReading(json, undefined)
  return typeof reading === "string" ? undefined : reading
}
