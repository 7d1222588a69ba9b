import type { Pin } from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { Effect, Option } from "effect"
import type { Git } from "./git/Git.ts"
import { refuseLeftAgent, refuseOtherConductor } from "./run/Neighbours.ts"
import type { Plan } from "./tasks/Plan.ts"
import type { LoadedPlan } from "./tasks/PlanFile.ts"
import { planDifference, termsOf } from "./tasks/PlanTerms.ts"
import { runOfPlan, runsIn, dispatchRun } from "./run/RunLog.ts"
import type { ImportedTask } from "./run/RunEvent.ts"
import { progressOf, type StateJson } from "./state/StateFile.ts"
import { lookAtState, StateForeign, stateForeign } from "./state/StateStore.ts"

const operator = { _tag: "Operator" } as const

/**
 * Takes over a state file from before any run, as far as git confirms it (spec: behaviour#state-file). `found` says
 * what is wrong with the file; `null`: nothing. Fails with `StateForeign` where the file belongs to another workflow or
 * program.
 */
const importState = Effect.fnUntraced(function* (statePath: string, { workflowId }: Plan) {
  const { backup, state } = yield* lookAtState(statePath)
  const taken = (from: "state" | "backup", json: StateJson) => {
    if (json.workflow_id === workflowId)
      return Effect.succeed({ progress: { from, tasks: progressOf(json), finishing: json.finishing ?? null } })
    if (json.phase === "completion") return Effect.succeed({ progress: null })
    return Effect.fail(
      new StateForeign({
        path: statePath,
        problem: `it is of workflow ${JSON.stringify(json.workflow_id.slice(0, 64))}, which is not complete: name that as workflow_id in the plan to go on with it, or name another state file`
      })
    )
  }
  switch (state._tag) {
    case "State":
      return { ...(yield* taken("state", state.state)), found: null }
    case "Foreign":
      return yield* stateForeign(statePath, state)
    case "Missing":
      // A backup of this workflow proves that a state file was there. Without one nothing was lost.
      if (backup._tag === "State" && backup.state.workflow_id === workflowId)
        return { ...(yield* taken("backup", backup.state)), found: "missing" as const }
      return { progress: null, found: backup._tag === "Corrupt" ? ("missing" as const) : null }
    case "Corrupt":
      return {
        ...(backup._tag === "State" ? yield* taken("backup", backup.state) : { progress: null }),
        found: "corrupt" as const
      }
  }
})

/**
 * Returns ids of tasks that a state file calls complete without proof in git. HEAD lacks a commit of their work, or
 * they name none.
 */
const notBorneOut = Effect.fnUntraced(function* (tasks: ReadonlyArray<ImportedTask>, git: Pick<Git, "missing">) {
  const done = tasks.filter(({ status }) => status === "completed")
  const missing = new Set(yield* git.missing(done.flatMap(({ work }) => work.commits)))
  return done.flatMap(({ id, work: { commits } }) =>
    commits.length === 0 || commits.some((one) => missing.has(one)) ? [id] : []
  )
})

/** Returns whether another process opened the run first. */
const isTaken = (error: unknown) => error instanceof Refused && error.reason === "exists"

interface OpenOptions<E, R> {
  readonly project: string
  readonly statePath: string
  readonly git: Pick<Git, "missing" | "root">
  readonly newId: Effect.Effect<string, E, R>
  readonly pin?: Pin
  /** True if no person conducts the run again, so that a stop stays. */
  readonly restored?: boolean
  /** False if nobody is to question a new run's plan, whatever that says. */
  readonly questions?: boolean
}

/**
 * Opens the run of a plan in a project: the known run, or a new one under `newId`. Returns its id and the revision at
 * which it is taken, 0 for a new one. A finished run whose plan has changed since is paused for a person. Two processes
 * at once get the same run if `newId` gives one id for one plan. Fails with `AlreadyWatched` if another run of the work
 * tree has a live conductor, with `Refused` if an agent of another run is at work, and with `StateForeign` if the state
 * file is not this run's.
 */
export const openRun = Effect.fn("openRun")(
  function* <E, R>(
    { digest, path, plan }: Omit<LoadedPlan, "understood">,
    { git, newId, pin, project, questions = true, restored = false, statePath }: OpenOptions<E, R>
  ) {
    const runs = yield* runsIn(git.root)
    yield* refuseOtherConductor(runs)
    const known = Option.getOrUndefined(yield* runOfPlan(project, path))
    yield* refuseLeftAgent(runs, known?.id)
    const terms = yield* termsOf(plan)
    if (known === undefined) {
      const { found, progress: said } = yield* importState(statePath, plan)
      const progress = said === null ? null : { ...said, unproven: yield* notBorneOut(said.tasks, git) }
      const id = yield* newId
      const { workflowId } = plan
      yield* dispatchRun(
        id,
        {
          _tag: "Open",
          workflowId,
          project,
          workTree: git.root,
          plan: path,
          digest,
          ...terms,
          progress,
          found,
          questions: questions && plan.questions === true,
          ...(pin === undefined ? {} : { pin })
        },
        operator
      )
      return { id, from: 0 }
    }
    if (known.run.stop !== null && !restored) yield* dispatchRun(known.id, { _tag: "EndStop" }, operator)
    // An unfinished run compares the plan before each of its steps.
    const message = known.run.phase === "finished" ? planDifference(known.run.agreed, terms) : undefined
    if (message !== undefined)
      yield* dispatchRun(known.id, { _tag: "Pause", reason: "plan", files: [], message }, operator)
    const { state } = yield* lookAtState(statePath)
    if (state._tag === "Foreign") return yield* stateForeign(statePath, state)
    if (state._tag !== "State")
      yield* dispatchRun(
        known.id,
        { _tag: "RebuildStateFile", found: state._tag === "Missing" ? "missing" : "corrupt" },
        operator
      )
    return { id: known.id, from: known.run.revision }
  },
  Effect.retry({ while: isTaken })
)
