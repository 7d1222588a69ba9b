import { digestOf } from "@souffleur/domain"
import { type NamedRun, newestRun, runById } from "@souffleur/plan"
import { Effect, Option, Runtime, Schema } from "effect"
import { folderName } from "../watching/FindWatch.ts"

/** No run has this name, or no plan was conducted in this folder. */
export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** A run by its id, or the newest run of a folder (absolute). */
export type PlanName = string | { readonly project: string }

/** Makes the id of a run from its folder and its plan. Two simultaneous starts of one plan thus begin the same run. */
export const runIdOf = Effect.fnUntraced(function* (project: string, plan: string) {
  const hex = yield* digestOf(`${project}\0${plan}`)
  const name = yield* folderName(project)
  const ids = Array.from({ length: hex.length / 4 }, (_, n) => `${name}-${hex.slice(0, 4 * (n + 1))}`)
  for (const id of ids) if (Option.isNone(yield* runById(id))) return id
  return ids.at(-1)!
})

const missing = (name: PlanName) =>
  typeof name === "string"
    ? `no run is called ${JSON.stringify(name.slice(0, 80))}`
    : `no plan was conducted in ${name.project} yet`

/** Finds a run. Fails with `PlanNotFound` when there is none, and with the log's error where it is unreadable. */
export const findPlan = Effect.fn("findPlan")(function* (name: PlanName) {
  const found: Option.Option<NamedRun> = yield* typeof name === "string" ? runById(name) : newestRun(name.project)
  if (Option.isNone(found)) return yield* new PlanNotFound({ message: missing(name) })
  return found.value.unreadable === undefined ? found.value : yield* found.value.unreadable
})
