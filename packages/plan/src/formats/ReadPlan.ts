import { Predicate, Result } from "effect"
import type { Place } from "../tasks/PlanProblem.ts"
import { jsonReading } from "./JsonForms.ts"
import { type Around, readingsOf } from "./MarkdownForms.ts"
import { type Outline, outlineOf, partOf, sectionsText } from "./Outline.ts"
import type { PlanReading } from "./PlanReading.ts"
import { parseYaml } from "./YamlText.ts"

/** What a plan's file is, by its name. */
export type PlanKind = "yaml" | "json" | "markdown"

/** What a plan's file holds, before it is judged. */
export interface ReadText {
  /** The form of another tool, in words; `null`: souffleur's own. */
  readonly form: string | null
  readonly source: unknown
  /** The text under each heading that begins with an id. */
  readonly described: ReadonlyMap<string, string>
  readonly leftOut: ReadonlyArray<string>
  readonly lineOf: (place: Place) => number | undefined
}

const none: ReadonlyMap<string, string> = new Map()

/**
 * Returns the id that a heading begins with, as in `## task-001: Create the model`. An id has 64 characters at most,
 * and a few marks around it.
 */
const idIn = (title: string) => {
  const [word = ""] = title.slice(0, 100).split(/\s/u)
  const id = /^`?([A-Za-z0-9][A-Za-z0-9._-]*?)[`:.]*$/u.exec(word)?.[1]
  return id
}

/** Returns what a text says under each heading that begins with an id. Of several with one id the first counts. */
export const describedIn = (outline: Outline): ReadonlyMap<string, string> =>
  new Map(
    outline.sections.toReversed().flatMap((section) => {
      const id = idIn(section.title)
      const text = id === undefined ? "" : sectionsText(outline, partOf(outline, section))
      return id === undefined || text === "" ? [] : [[id, text] as const]
    })
  )

/** Splits a Markdown file into its front matter and the rest; `undefined`: it has no front matter. */
const parted = (text: string) => {
  const [, front, body = ""] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/u.exec(text) ?? []
  return front === undefined ? undefined : { front, body, above: front.split("\n").length + 2 }
}

const foreign = ({ form, leftOut, lines, source }: PlanReading): ReadText => ({
  form,
  source,
  described: none,
  leftOut,
  lineOf: ([part, at]) => (part === "tasks" && typeof at === "number" ? lines[at] : undefined)
})

const readMarkdown = (text: string, around: Around): Result.Result<ReadText, string> => {
  const parts = parted(text)
  const outline = parts === undefined ? outlineOf(text) : outlineOf(parts.body, parts.above)
  const front =
    parts === undefined ? undefined : Result.mapError(parseYaml(parts.front, 1), (why) => `the front matter: ${why}`)
  const isOurs =
    front !== undefined && (Result.isFailure(front) || Predicate.hasProperty(front.success.source, "tasks"))
  if (isOurs) return Result.map(front, (own) => ({ form: null, described: describedIn(outline), leftOut: [], ...own }))
  const readings = readingsOf(outline, around)
  const [reading, other] = readings
  if (reading === undefined)
    return Result.fail(
      "there are no tasks in it: a plan has front matter between two lines of --- with tasks:, or a heading “Task 1: …” for each, or phases of spec-kit, or groups of OpenSpec, or a list of boxes"
    )
  if (other === undefined) return Result.succeed(foreign(reading))
  const said = readings.map(
    ({ form, lines }) => `${form} (${lines.length === 1 ? "line" : "lines"} ${lines.slice(0, 10).join(", ")})`
  )
  return Result.fail(`it can be read in ${said.length} ways, ${said.join("; and ")}: leave one of them`)
}

/** True for the keys that a task of souffleur's own form has, and that of no other tool. */
const isOwn = (source: unknown) =>
  Predicate.hasProperty(source, "tasks") &&
  Array.isArray(source.tasks) &&
  source.tasks.some(Predicate.hasProperty("acceptance_criteria"))

/** Reads what a plan's file holds, by its kind. Fails with a sentence. */
export const readPlan = (
  kind: PlanKind,
  text: string,
  around: Around & { readonly tag?: string | undefined }
): Result.Result<ReadText, string> => {
  if (kind === "markdown") return readMarkdown(text, around)
  return Result.flatMap(parseYaml(text), (own) => {
    const reading = kind === "yaml" || isOwn(own.source) ? undefined : jsonReading(own.source, around.tag)
    if (typeof reading === "string") return Result.fail(reading)
    return Result.succeed(
      reading === undefined ? { form: null, described: none, leftOut: [], ...own } : foreign(reading)
    )
  })
}
