import { type LogError, type Refused } from "@souffleur/eventlog"
import { Clock, Effect, Schedule, Stream } from "effect"
import { isLeft } from "./agent/AgentEnd.ts"
import { PlanContext } from "./PlanContext.ts"
import { judge } from "./agent/Judging.ts"
import { type Hindrance, isHindrance } from "./publish/Hindrance.ts"
import { isOver, next, type Run, type Task, type Assignment } from "./run/Run.ts"
import { RunLog, streamOf } from "./run/RunLog.ts"
import { writeState } from "./state/StateStore.ts"
import { askAgent, awaitAgent, settleAssignment } from "./agent/Assignment.ts"

/**
 * What git says that a person must put right before work goes on (spec: behaviour#git). `dirty`: also what is changed
 * and not committed.
 */
const obstacle = Effect.fnUntraced(function* (dirty: boolean) {
  const { git } = yield* PlanContext
  const { changed, conflicts } = yield* git.standing
  if (conflicts.length > 0) return { cause: "conflict" as const, files: conflicts.slice(0, 50) }
  return dirty && changed.length > 0 ? { cause: "dirty" as const, files: changed.slice(0, 50) } : undefined
})

/**
 * Whether git is where the run goes on: no agent works on another branch than the newest task began on, or in the midst
 * of a rebase, nor over approved work that is not there any more. What a task began from is such work, and a person's.
 */
const astray = Effect.fnUntraced(function* (run: Run) {
  const { git } = yield* PlanContext
  const history = (message: string) => ({ cause: "history" as const, files: [], message })
  const doing = yield* git.underWay
  if (doing !== null) return history(`${doing} is in progress`)
  const { branch } = yield* git.standing
  const named = (name: string | null) => (name === null ? "no branch" : `branch ${name}`)
  if (run.branch !== undefined && branch !== run.branch)
    return history(`it is on ${named(branch)}, and the newest task began on ${named(run.branch)}`)
  const kept = run.tasks.flatMap(({ base, id, skipped, status, work }) => {
    if (skipped) return []
    return status === "completed"
      ? [{ id, commits: work.commits }]
      : status === "in_progress" && base !== null
        ? [{ id, commits: [base] }]
        : []
  })
  const missing = yield* git.missing(kept.flatMap(({ commits }) => commits))
  const lost = kept.filter(({ commits }) => commits.some((one) => missing.includes(one)))
  if (lost.length === 0) return undefined
  const message = `${lost.map(({ id }) => id).join(", ")}: HEAD has not ${missing.slice(0, 50).join(", ")}`
  return { cause: "work lost" as const, files: [], message }
})

/** Does it, or pauses where git is in the way; `run`: of what goes on, where another step of it begins. */
const unhindered = Effect.fnUntraced(function* <E, R>(dirty: boolean, then: Effect.Effect<Run, E, R>, run?: Run) {
  const { ref } = yield* PlanContext
  const found =
    (yield* obstacle(false)) ?? (run === undefined ? undefined : yield* astray(run)) ?? (yield* obstacle(dirty))
  return found === undefined ? yield* then : yield* ref.dispatch({ _tag: "Pause", ...found })
})

/**
 * Sees an agent through: launched or never, until its end, and what it came to. Who cannot be ended is a person's:
 * nobody works beside it.
 */
const finishAssignment = Effect.fn("finishAssignment")(
  function* (assignment: Assignment) {
    const { ref } = yield* PlanContext
    if (assignment.launch === null) return yield* settleAssignment(assignment)
    const ended = yield* awaitAgent(assignment, assignment.launch)
    const report = yield* judge(yield* ref.state, assignment, ended)
    const reported = ref.dispatch({ _tag: "Report", token: assignment.token, report })
    if (assignment.role === "finisher") return yield* reported
    // An assignment that came to nothing leaves its work where it is, for the next one; what is complete leaves none
    // uncommitted.
    return yield* unhindered(report._tag === "Completed" || report._tag === "Approved", reported)
  },
  (seen, { token }) =>
    Effect.catchTag(seen, "StopFailed", ({ message }) =>
      Effect.flatMap(PlanContext, ({ ref }) => ref.dispatch({ _tag: "PauseForAgent", token, message }))
    )
)

/**
 * What is reviewed is what is there: who has committed since the implementer ended, another reviewer or a person,
 * changed the work.
 */
const review = Effect.fn("Conduct.review")(function* (task: Task) {
  const { git, ref } = yield* PlanContext
  const head = yield* git.head
  if (head === (task.implementation?.head ?? null)) return yield* askAgent("reviewer")
  return yield* ref.dispatch({ _tag: "Recount", taskId: task.id, head, ...(yield* git.since(task.base)) })
})

const verify = Effect.fn("Conduct.verify")(function* (run: Run) {
  const { git, ref } = yield* PlanContext
  const commits = [...new Set(run.tasks.flatMap(({ work }) => work.commits))]
  const files = new Set(run.tasks.flatMap(({ work }) => work.files)).size
  return yield* ref.dispatch({ _tag: "Verify", commits: commits.length, files, missing: yield* git.missing(commits) })
})

const finish = Effect.fn("Conduct.finish")(function* ({ finishing, finishingAccepted, finishingDigest: opened }: Run) {
  const { finishingDigest, plan, ref } = yield* PlanContext
  // A run before this one, whose log is gone, has asked for it: its state file says so, and no more.
  if (finishing === "begun" || finishing === "failed")
    return yield* ref.dispatch({
      _tag: "Finish",
      finishing: "failed",
      detail: "the state file has it begun, and not done"
    })
  if (finishing !== "not begun")
    return yield* ref.dispatch({ _tag: "Finish", finishing: finishing === "done" ? "done" : "none", detail: "" })
  // An agent can write the plan, and souffleur itself runs this command: another one takes a person's word.
  if (finishingDigest !== null && finishingDigest !== opened && !finishingAccepted) {
    const detail =
      "the plan's finishing command is not the one that this run was opened with: look at it before you have it run"
    return yield* ref.dispatch({ _tag: "Finish", finishing: "failed", detail })
  }
  return plan.finish._tag === "None"
    ? yield* ref.dispatch({ _tag: "Finish", finishing: "none", detail: "" })
    : yield* askAgent("finisher")
})

/** Much longer than it takes to look at a clock, and short enough that a machine that slept is not late. */
const clockLook = 60_000

/** By the wall's clock, which a machine's sleep does not stop. */
const waitOut = Effect.fn("Conduct.waitOut")(function* (until: number) {
  const { ref } = yield* PlanContext
  for (;;) {
    const left = until - (yield* Clock.currentTimeMillis)
    if (left <= 0) return yield* ref.dispatch({ _tag: "EndWait" })
    yield* Effect.sleep(Math.min(left, clockLook))
  }
})

/** Of so many files that git does not know it is remembered that they were there before. */
const mostUntracked = 500

/** One step of the loop; `undefined` when a person's word is needed, or all is done. */
const advance = Effect.fnUntraced(function* (run: Run) {
  const { git, ref } = yield* PlanContext
  const step = next(run)
  switch (step._tag) {
    case "Await":
      return yield* finishAssignment(step.assignment)
    case "Wait":
      return yield* waitOut(step.until)
    case "Start":
      return yield* unhindered(
        true,
        Effect.gen(function* () {
          const base = yield* git.head
          const { branch } = yield* git.standing
          const there = yield* git.untracked
          const untracked = there.length > mostUntracked ? null : there
          return yield* ref.dispatch({ _tag: "StartTask", taskId: step.task.id, base, branch, untracked })
        }),
        run
      )
    case "Ask":
      return yield* unhindered(false, step.role === "reviewer" ? review(step.task) : askAgent(step.role), run)
    case "Verify":
      return yield* unhindered(true, verify(run), run)
    case "Finish":
      return yield* unhindered(false, finish(run), run)
    case "Escalated":
    case "Done":
      return undefined
  }
})

/** Whether what a run is paused for is put right. */
const isRight = Effect.fnUntraced(function* (run: Run) {
  const { paused, assignment } = run
  if (paused?.cause === "failed") {
    const { git, statePath } = yield* PlanContext
    return yield* Effect.isSuccess(Effect.andThen(git.standing, writeState(statePath, run)))
  }
  // Also by a person's word: on those whose work it was, or to go on from there.
  if (paused?.cause === "work lost" || paused?.cause === "history")
    return (yield* astray(yield* (yield* PlanContext).ref.state)) === undefined
  if (paused?.cause !== "not gone") return (yield* obstacle(paused?.cause === "dirty")) === undefined
  return !assignment?.launch || !(yield* isLeft(assignment, assignment.launch))
})

/**
 * Where the loop itself cannot go on, for git, the state file or the disk, the run is paused: what is in its log is
 * told to a person as any pause is, and an agent that is at work is found again. A log that cannot be used is whoever
 * calls's to tell.
 */
const orPaused = <R>(effect: Effect.Effect<Run, Hindrance | Refused | LogError, R>) =>
  Effect.catchIf(effect, isHindrance, (error) =>
    Effect.gen(function* () {
      const { ref, statePath } = yield* PlanContext
      const run = yield* ref.dispatch({ _tag: "PauseForFailure", message: error.message })
      // As far as it can be written: that may be what failed.
      yield* Effect.ignore(writeState(statePath, run))
      return run
    })
  )

/** A pause is over when that is put right which it is for. */
const resumed = Effect.fnUntraced(function* (run: Run) {
  const { ref } = yield* PlanContext
  if (run.paused === null) return true
  if (!(yield* isRight(run))) return false
  yield* ref.dispatch({ _tag: "Resume" })
  return true
})

/**
 * Conducts a run until its end, or until a person is needed: escalated, paused, or its finishing step failed.
 * Everything that is done is in the log before and after it, so that whoever is killed here goes on from there. Returns
 * the run as it then is.
 *
 * @example
 * ```ts
 * import { conduct, PlanContext } from "@souffleur/plan"
 * import { Effect } from "effect"
 *
 * const conductPlan = (conducting: PlanContext["Service"]) =>
 *   conduct().pipe(
 *     Effect.map(({ phase }) => phase),
 *     Effect.provideService(PlanContext, conducting)
 *   )
 * ```
 */
export const conduct = Effect.fn("conduct")(function* () {
  const { ref, statePath } = yield* PlanContext
  const told = Effect.gen(function* () {
    const run = yield* ref.state
    const kept = yield* writeState(statePath, run)
    yield* Effect.forEach(kept, (one) => ref.dispatch({ _tag: "RebuildStateFile", ...one }))
    return kept.length === 0 ? run : yield* ref.state
  })
  if (!(yield* resumed(yield* told))) return yield* told
  for (;;) {
    const run = yield* told
    if (run.paused !== null || (yield* advance(run)) === undefined) return run
  }
}, orPaused)

/** How often it is looked whether a person has put it right. */
const rightLook = Schedule.spaced("2 seconds")

/** Until the word that was waited for has come, whoever said it; that nothing else happened meanwhile is not asked. */
const personCame = Effect.fnUntraced(function* (run: Run) {
  const log = yield* RunLog
  const { ref } = yield* PlanContext
  if (run.paused === null) return yield* Stream.runDrain(Stream.take(log.changes(streamOf(ref.id), run.revision), 1))
  yield* Effect.repeat(isRight(run), { schedule: rightLook, until: (yes) => yes })
})

/**
 * Conducts a run to its end: where a person is needed it stays, after `waiting` was told, and goes on when that is
 * answered or git is in order again. Whoever is watched as a command does that, as an end would only bring it back.
 */
export const conductOn = Effect.fn("conductOn")(function* <E, R>(waiting: (run: Run) => Effect.Effect<void, E, R>) {
  for (;;) {
    const run = yield* conduct()
    if (isOver(run)) return run
    yield* waiting(run)
    yield* orPaused(Effect.as(personCame(run), run))
  }
})
