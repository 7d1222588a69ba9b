import { Option, Result, Schema } from "effect"
import { outlineOf, partOf, type Outline } from "./Outline.ts"
import { asDescribed, type PlanReading, type ReadTask } from "./PlanReading.ts"

const Issues = Schema.Array(
  Schema.Struct({ number: Schema.Int, title: Schema.String, body: Schema.NullOr(Schema.String) })
)
const decodeIssues = Schema.decodeUnknownOption(Issues)

/** Returns the items below the heading of an issue's acceptance criteria. */
const criteriaIn = (outline: Outline): ReadonlyArray<string> => {
  const section = outline.sections.find(({ title }) => /^acceptance criteria:?$/iu.test(title))
  return section === undefined
    ? []
    : partOf(outline, section).flatMap(({ items }) =>
        items.flatMap(({ isFenced, text }) => (isFenced ? [] : [text.replace(/^\[.\][ \t]+/u, "")]))
      )
}

const waits = /^[-*+ \t]*(?:blocked by|depends on)[: ]+(.*)$/gimu
/** An issue of the same repository. */
const issue = /(?<![\w/])#(\d+)/gu

/** Reads issues as `gh issue list --json number,title,body` prints them. `undefined`: it is something else. */
export const readGithub = (json: unknown): Result.Result<PlanReading, string> | undefined => {
  const issues = Option.getOrUndefined(decodeIssues(json))
  if (issues === undefined) return undefined
  if (issues.length === 0) return Result.fail("it names no issue")
  const sorted = issues.toSorted((one, other) => one.number - other.number)
  const numbers = new Set(sorted.map(({ number }) => number))
  const tasks = sorted.map(({ body, number, title }): ReadTask => {
    const said = body ?? ""
    const criteria = criteriaIn(outlineOf(said))
    const others = [...said.matchAll(waits)].flatMap(([, words = ""]) =>
      [...words.matchAll(issue)].map(([, other]) => Number(other))
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
  return Result.succeed({ form: "a task each issue of GitHub", source: { tasks }, lines: [], leftOut: [] })
}
