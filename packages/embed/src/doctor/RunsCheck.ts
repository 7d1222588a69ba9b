import {
  gitOf,
  invocation,
  isRunOver,
  lookAtState,
  needsPerson,
  type NamedRun,
  newestRun,
  unfinishedRuns
} from "@souffleur/plan"
import { Claims, type ResolvedSettings } from "@souffleur/domain"
import { Effect, Option, Path } from "effect"
import { defaultBranchNote, defaultBranchOut } from "../conducting/DefaultBranch.ts"
import { runNeeds, runStanding } from "../explain/RunSentence.ts"
import { layerHost, layerStore } from "../world/StoreLayers.ts"
import { layerClaims } from "../world/World.ts"
import { type Finding, note, passed, wrong } from "./Finding.ts"

const restore = "bring back a copy of the event log, or: souffleur doctor --quarantine"

/** Checks one unfinished run: its conductor, and the answer that it waits for. */
const runFinding = Effect.fnUntraced(function* ({ id, run, unreadable }: NamedRun) {
  const name = `run ${id}`
  if (unreadable !== undefined) return wrong(name, unreadable.message, restore)
  const goOn = invocation(run)
  const needs = needsPerson(run)
  if (run.owner !== null && !(yield* (yield* Claims).isDead(run.owner)))
    return needs
      ? note(name, runNeeds(id, run).join(": "), "answer it: it goes on by itself, or with souffleur conduct")
      : passed(name, runStanding(run))
  const gone = run.owner === null ? "its conductor left" : `its conductor, pid ${run.owner.process.pid}, is dead`
  return needs
    ? note(name, `${gone}: ${runNeeds(id, run).join(": ")}`, `answer it, then ${goOn}`)
    : note(name, `no souffleur conducts it: ${gone}`, goOn)
})

/** Checks the state file of a project's newest run, where it has the usual name. */
const stateOf = Effect.fnUntraced(function* ({
  run
}: NamedRun): Effect.fn.Return<
  ReadonlyArray<Finding>,
  never,
  Path.Path | Effect.Services<ReturnType<typeof lookAtState>>
> {
  const file = (yield* Path.Path).join(run.project, "state.json")
  const { state } = yield* lookAtState(file)
  return state._tag === "Corrupt"
    ? [wrong("state file", `${file} is damaged`, `${invocation(run)} makes it again from the log`)]
    : []
})

/** Says where the commits of a project's run go, if that is the default branch. */
const branchFinding = Effect.fnUntraced(function* ({ id, run }: NamedRun) {
  if (isRunOver(run) || run.agreed.branch !== null) return []
  const git = yield* Effect.option(gitOf(run.project, () => []))
  const branch = Option.isSome(git) ? yield* defaultBranchOut(git.value) : null
  return branch === null ? [] : [note(`run ${id}`, defaultBranchNote(branch), "say so in the next plan, or leave it")]
})

/** Checks the unfinished runs of a readable log, and the state file of this project. */
const conducted = Effect.fn("conducted")(function* (project: string) {
  const open = yield* Effect.forEach(yield* unfinishedRuns, runFinding)
  const newest = Option.filter(yield* newestRun(project), ({ unreadable }) => unreadable === undefined)
  return [
    ...open,
    ...(Option.isNone(newest) ? [] : [...(yield* stateOf(newest.value)), ...(yield* branchFinding(newest.value))])
  ]
})

/** Checks the runs of our own database. */
export const runsCheck = (settings: ResolvedSettings, project: string) =>
  conducted(project).pipe(
    Effect.provide([layerStore(settings), layerClaims]),
    Effect.provide(layerHost),
    // The check of the watches reports claims that cannot be used.
    Effect.catch((error) => Effect.succeed([wrong("runs", error.message, restore)]))
  )
