import { digestOf } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { Effect, FileSystem, Path, Result } from "effect"
import type { PlanKind } from "../formats/ReadPlan.ts"
import { documentsIn, type NamedDoc, type Plan, PlanInvalid, planOf } from "./Plan.ts"
import { problemInWords, type PlanProblem } from "./PlanProblem.ts"

/** Maximum bytes of a plan, which is read whole. */
const maxBytes = 1_000_000

/** What a person chooses of a plan that can be read in several ways. */
export interface PlanChoice {
  /** True: a task is a line, not a phase. */
  readonly each?: boolean
  /** The list of task-master that is the plan. */
  readonly tag?: string | undefined
}

/** How a plan was read. */
export interface Understood {
  /** In words for a person; `null`: it has the form of souffleur's own. */
  readonly form: string | null
  /** What is no task of the run, and why. */
  readonly leftOut: ReadonlyArray<string>
  /** The line of each task; `undefined`: unknown. */
  readonly lines: ReadonlyArray<number | undefined>
}

/** A plan and its file: a change of the file is a change of the digest. */
export interface LoadedPlan {
  readonly plan: Plan
  /** Absolute. */
  readonly path: string
  /** SHA-256 of the file, in hex. */
  readonly digest: string
  readonly understood: Understood
}

const kinds: Readonly<Record<string, PlanKind>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
  ".md": "markdown",
  ".markdown": "markdown"
}

/** Returns letters that a workflow id may have. */
const idFrom = (name: string) => {
  const id = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/gu, "-")
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/gu, "")
  return id === "" ? "plan" : id.slice(0, 64)
}

/** Returns where a plan lies, for what its form takes from its folder. */
const aroundOf = Effect.fnUntraced(function* (file: string, project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  return {
    file: path.relative(project, file),
    folder: idFrom(path.basename(folder)),
    beside: new Map(names.toSorted().map((name) => [name, path.relative(project, path.join(folder, name))]))
  }
})

/**
 * Reads a plan in its own form or in that of another tool (spec: behaviour#plan). Fails with `PlanInvalid`, which names
 * all problems at once. These are text that cannot be read, ids, circles, unknown dependencies, and missing reference
 * documents.
 */
export const loadPlan = Effect.fn("loadPlan")(function* (file: string, project: string, choice: PlanChoice = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const invalid = (...problems: ReadonlyArray<string>) => new PlanInvalid({ path: file, problems })
  const kind = kinds[path.extname(file).toLowerCase()]
  if (kind === undefined) return yield* invalid("a plan is .yaml, .yml, .json, .md or .markdown")
  const bytes = yield* Effect.mapError(
    readTrusted(file, { others: "write as its group", atMost: maxBytes }),
    ({ problem }) => invalid(problem)
  )
  // Parsers are large, and few commands read a plan.
  const { readPlan } = yield* Effect.promise(() => import("../formats/ReadPlan.ts"))
  // The decoder drops the mark that some editors write at the beginning.
  const text = new TextDecoder().decode(bytes)
  const read = readPlan(kind, text, { ...(yield* aroundOf(file, project)), each: false, ...choice })
  if (Result.isFailure(read)) return yield* invalid(read.failure)
  const { described, form, leftOut, lineOf, source } = read.success
  const judged = planOf(source, described, idFrom(path.basename(file, path.extname(file))))
  const there = (doc: NamedDoc) => Effect.orElseSucceed(fs.exists(path.resolve(project, doc.path)), () => false)
  const absent = yield* Effect.filter(documentsIn(source), (doc) => Effect.map(there(doc), (yes) => !yes))
  const missing = absent.map((doc): PlanProblem => ({
    place: doc.place,
    what: `there is no ${doc.path} in ${project}`
  }))
  const problems = [...(Result.isFailure(judged) ? judged.failure : []), ...missing]
  if (Result.isFailure(judged) || problems.length > 0) return yield* invalid(...problemInWords(problems, lineOf))
  const plan = judged.success
  const lines = plan.tasks.map((_, at) => lineOf(["tasks", at]))
  const loaded: LoadedPlan = { plan, path: file, digest: yield* digestOf(bytes), understood: { form, leftOut, lines } }
  return loaded
})
