import type { Pin } from "@souffleur/domain"
import { dispatchRun, runsOf } from "@souffleur/plan"
import { command } from "@souffleur/supervisor"
import { Effect } from "effect"
import { Parts } from "../world/Parts.ts"
import { unfinishedWatches } from "../watching/FindWatch.ts"

/** A config file that a person trusts, and by whom it is taken from now on. */
export interface TrustedProject {
  /** The ceiling and the programs of the file. */
  readonly pin: Pin
  /** The ids of its unfinished watches. */
  readonly watches: ReadonlyArray<string>
  /** The ids of its runs. */
  readonly runs: ReadonlyArray<string>
}

/** Trusts the present config file of a project, for its unfinished watches and its runs too. */
export const trustProject = Effect.fn("trustProject")(function* (project: string) {
  const { trust } = yield* Parts
  const pin = yield* trust(project)
  const watches = (yield* unfinishedWatches).filter(({ watch }) => watch.project === project)
  yield* Effect.forEach(watches, ({ id }) => command(id, { _tag: "Trust", pin }))
  const runs = yield* runsOf(project)
  yield* Effect.forEach(runs, ({ id }) => dispatchRun(id, { _tag: "Trust", pin }, { _tag: "Operator" }))
  return { pin, watches: watches.map(({ id }) => id), runs: runs.map(({ id }) => id) } satisfies TrustedProject
})
