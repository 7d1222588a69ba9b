import { Predicate, Result } from "effect"
import { planKeys } from "../tasks/Plan.ts"
import { roles } from "../tasks/PlanAgents.ts"
import { likelyKey, type Place } from "../tasks/PlanProblem.ts"
import { readBeads, readTaskMaster } from "./JsonForms.ts"
import { type Around, readingsOf } from "./MarkdownForms.ts"
import { type Outline, outlineOf, partOf, sectionsText } from "./Outline.ts"
import type { PlanReading } from "./PlanReading.ts"
import { parseYaml, type YamlText } from "./YamlText.ts"

/** What a plan's file is, by its name. */
export type PlanKind = "yaml" | "json" | "markdown"

/** What a plan's file holds, before it is judged. */
export interface ReadText {
  /** The form of another tool, in words; `null`: souffleur's own. */
  readonly form: string | null
  /** The choice of a person that the form takes; absent: none. */
  readonly takes?: PlanReading["takes"]
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
  const [, front, body = ""] =
    /^---[ \t]*(?:\r\n|\r|\n)([^]*?)(?:\r\n|\r|\n)---[ \t]*(?:(?:\r\n|\r|\n)([^]*))?$/u.exec(text) ?? []
  return front === undefined ? undefined : { front, body, above: front.split(/\r\n|\r|\n/u).length + 2 }
}

/** Keys by which front matter speaks to souffleur, beside `tasks` and `agents`. */
const ownKeys = planKeys.filter((key) => key !== "tasks" && key !== "agents")

/** Tells whether a source speaks to souffleur, by such a key or by the agents of roles. Other tools may have others. */
const isSpoken = (source: unknown) =>
  ownKeys.some((key) => Predicate.hasProperty(source, key)) ||
  (Predicate.hasProperty(source, "agents") &&
    Predicate.isObject(source.agents) &&
    Object.keys(source.agents).some((key) => likelyKey(key, roles) !== undefined))

const foreign = ({ lines, source, ...reading }: PlanReading, front?: YamlText): ReadText => ({
  ...reading,
  // What the front matter says is the author's word for souffleur.
  source: front === undefined ? source : { ...source, ...(front.source as object) },
  described: none,
  lineOf: (place) => {
    const [part, at] = place
    return part === "tasks" && typeof at === "number" ? lines[at] : front?.lineOf(place)
  }
})

const noTasks =
  "there are no tasks in it: a plan has front matter between two lines of --- with tasks:, or a heading “Task 1: …” for each, or phases of spec-kit, or groups of OpenSpec, or a list of boxes"

/**
 * Reads front matter. `own`: what it says to souffleur. `undefined`: it is none, as a line across the page may be the
 * first one of a text. Fails with a sentence.
 */
const frontOf = (parts: ReturnType<typeof parted>): Result.Result<{ readonly own?: YamlText } | undefined, string> => {
  if (parts === undefined) return Result.succeed(undefined)
  const read = parseYaml(parts.front, 1)
  if (Result.isFailure(read))
    return /^tasks[ \t]*:/mu.test(parts.front)
      ? Result.fail(`the front matter: ${read.failure}`)
      : Result.succeed(undefined)
  const { source } = read.success
  if (!Predicate.isObject(source)) return Result.succeed(undefined)
  const keys = Object.keys(source)
  const near = keys.find((key) => key !== "tasks" && likelyKey(key, ["tasks"]) !== undefined)
  if (!keys.includes("tasks") && near !== undefined)
    return Result.fail(`the front matter: ${near}: there is no such key: did you mean tasks?`)
  return Result.succeed(keys.includes("tasks") || isSpoken(source) ? { own: read.success } : {})
}

const readMarkdown = (text: string, around: Around): Result.Result<ReadText, string> => {
  const parts = parted(text)
  const read = frontOf(parts)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const front = read.success?.own
  const outline =
    parts === undefined || read.success === undefined ? outlineOf(text) : outlineOf(parts.body, parts.above)
  if (front !== undefined && Predicate.hasProperty(front.source, "tasks"))
    return Result.succeed({ form: null, described: describedIn(outline), leftOut: [], ...front })
  const readings = readingsOf(outline, around)
  const [reading, other] = readings
  if (reading === undefined) return Result.fail(noTasks)
  if (other === undefined) return Result.succeed(foreign(reading, front))
  const said = readings.map(
    ({ form, lines }) => `${form} (${lines.length === 1 ? "line" : "lines"} ${lines.slice(0, 10).join(", ")})`
  )
  return Result.fail(`it can be read in ${said.length} ways, ${said.join("; and ")}: leave one of them`)
}

/** Tells whether JSON has keys of souffleur's own form that no tracker's has. */
const isOwn = (source: unknown) =>
  isSpoken(source) ||
  (Predicate.hasProperty(source, "tasks") &&
    Array.isArray(source.tasks) &&
    source.tasks.some((task) =>
      ["acceptance_criteria", "depends_on", "reference_docs", "verify"].some((key) => Predicate.hasProperty(task, key))
    ))

/** Reads what a plan's file holds, by its kind. Fails with a sentence. */
export const readPlan = (
  kind: PlanKind,
  text: string,
  around: Around & { readonly tag?: string | undefined }
): Result.Result<ReadText, string> => {
  const { each, tag } = around
  const read =
    kind === "markdown"
      ? readMarkdown(text, around)
      : Result.flatMap(parseYaml(text), (own): Result.Result<ReadText, string> => {
          const reading =
            kind === "yaml" || isOwn(own.source)
              ? undefined
              : (readBeads(own.source) ?? readTaskMaster(own.source, tag))
          return reading === undefined
            ? Result.succeed({ form: null, described: none, leftOut: [], ...own })
            : Result.map(reading, (one) => foreign(one))
        })
  return Result.flatMap(read, (found) => {
    if (each && found.takes !== "each") return Result.fail("--each is for the phases of spec-kit, and it has none")
    return tag !== undefined && found.takes !== "tag"
      ? Result.fail("--tag is for the lists of task-master, and it has none")
      : Result.succeed(found)
  })
}
