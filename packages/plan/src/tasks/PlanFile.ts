import { digestOf } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { Effect, FileSystem, Path, Result } from "effect"
import * as Yaml from "effect/encoding/Yaml"
import { documentsIn, type NamedDoc, type Plan, PlanInvalid, planOf } from "./Plan.ts"
import { problemInWords, type PlanProblem } from "./PlanProblem.ts"

/** Maximum bytes of a plan, which is read whole. */
const maxBytes = 1_000_000

/** Maximum UTF-16 units of its YAML, since the parser copies what it has read of a bracket at each line. */
const maxYaml = 65_536

/** A plan and its file: a change of the file is a change of the digest. */
export interface LoadedPlan {
  readonly plan: Plan
  /** Absolute. */
  readonly path: string
  /** SHA-256 of the file, in hex. */
  readonly digest: string
}

const fence = /^ {0,3}(?:`{3,}|~{3,})/u
const heading = /^(#{1,6})\s+([^]*)/u
/**
 * Returns the id that a heading begins with, as in `## task-001: Create the model`. An id has 64 characters at most,
 * and a few marks around it.
 */
const idIn = (title: string) => {
  const [word = ""] = title.slice(0, 100).split(/\s/u)
  let end = word.length
  while (end > 0 && "`:.".includes(word[end - 1]!)) end--
  const id = word.slice(word.startsWith("`") ? 1 : 0, end)
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(id) ? id : undefined
}

/**
 * Returns what a Markdown text says under each heading that begins with an id. A heading's text ends at the next
 * heading of its level or above.
 */
export const sections = (body: string): ReadonlyMap<string, string> => {
  const lines = body.split(/\r?\n/u)
  const headings: Array<{ readonly at: number; readonly level: number; readonly id: string | undefined }> = []
  let fenced = false
  for (const [at, line] of lines.entries()) {
    if (fence.test(line)) fenced = !fenced
    const [, marks, title] = heading.exec(fenced ? "" : line) ?? []
    if (marks !== undefined) headings.push({ at, level: marks.length, id: idIn(title ?? "") })
  }
  const found = new Map<string, string>()
  // Read backwards, each heading knows where the next one of a level begins. Of several headings with one id the first
  // is kept.
  const next = Array.from({ length: 7 }, () => lines.length)
  for (const { at, id, level } of headings.toReversed()) {
    const text = lines
      .slice(at + 1, Math.min(...next.slice(1, level + 1)))
      .join("\n")
      .trim()
    next[level] = at
    if (id !== undefined && text !== "") found.set(id, text)
  }
  return new Map([...found].toReversed())
}

/** Splits a Markdown file into its front matter and the rest; `undefined`: it has no front matter. */
const parted = (text: string) => {
  const [, front, body = ""] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/u.exec(text) ?? []
  return front === undefined ? undefined : { front, body }
}

const yaml = (text: string): Result.Result<unknown, string> => {
  if (text.length > maxYaml)
    return Result.fail(
      `its YAML is longer than ${maxYaml} characters: write the texts of its tasks in Markdown, each below a heading with its id`
    )
  try {
    return Result.succeed(Yaml.parse(text))
  } catch (error) {
    return Result.fail(
      `it is no YAML that can be read: ${error instanceof Error ? error.message.slice(0, 200) : "it cannot be parsed"}`
    )
  }
}

/** Parses a file: its YAML, the count of lines above that, and what it says of tasks besides. Fails with a sentence. */
const parse = (text: string, kind: "yaml" | "markdown") => {
  const parts = kind === "yaml" ? { front: text, body: "" } : parted(text)
  if (parts === undefined)
    return Result.fail(
      "the file: a Markdown plan begins with front matter between two lines of ---, which has tasks: and of each task id, title, description and acceptance_criteria"
    )
  const above = kind === "yaml" ? 0 : 1
  // A parser that is given the lines above counts as the file does.
  return Result.mapBoth(yaml("\n".repeat(above) + parts.front), {
    onFailure: (why) => `${kind === "yaml" ? "the file" : "the front matter"}: ${why}`,
    onSuccess: (source) => ({ source, front: parts.front, above, described: sections(parts.body) })
  })
}

const kinds: Readonly<Record<string, "yaml" | "markdown">> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".md": "markdown",
  ".markdown": "markdown"
}

/**
 * Reads a plan: YAML, or Markdown with front matter. Fails with `PlanInvalid`, which names all problems at once. These
 * are text that cannot be read, ids, circles, unknown dependencies, and missing reference documents.
 */
export const loadPlan = Effect.fn("loadPlan")(function* (file: string, project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const invalid = (...problems: ReadonlyArray<string>) => new PlanInvalid({ path: file, problems })
  const kind = kinds[path.extname(file).toLowerCase()]
  if (kind === undefined) return yield* invalid("the file: a plan is .yaml, .yml, .md or .markdown")
  const bytes = yield* Effect.mapError(
    readTrusted(file, { others: "write as its group", atMost: maxBytes }),
    ({ problem }) => invalid(`the file: ${problem}`)
  )
  // The decoder drops the mark that some editors write at the beginning.
  const text = new TextDecoder().decode(bytes)
  const name = path
    .basename(file, path.extname(file))
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/gu, "-")
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/gu, "")
  const parsed = parse(text, kind)
  if (Result.isFailure(parsed)) return yield* invalid(parsed.failure)
  const { above, described, front, source } = parsed.success
  const judged = planOf(source, described, name === "" ? "plan" : name.slice(0, 64))
  const there = (doc: NamedDoc) => Effect.orElseSucceed(fs.exists(path.resolve(project, doc.path)), () => false)
  const absent = yield* Effect.filter(documentsIn(source), (doc) => Effect.map(there(doc), (yes) => !yes))
  const missing = absent.map((doc): PlanProblem => ({
    place: doc.place,
    what: `there is no ${doc.path} in ${project}`
  }))
  const problems = [...(Result.isFailure(judged) ? judged.failure : []), ...missing]
  if (Result.isFailure(judged) || problems.length > 0) return yield* invalid(...problemInWords(problems, front, above))
  const plan = judged.success
  const loaded: LoadedPlan = { plan, path: file, digest: yield* digestOf(bytes) }
  return loaded
})
