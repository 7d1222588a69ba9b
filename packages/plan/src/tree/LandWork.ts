import { Effect } from "effect"
import { stepIn, steps } from "../decide/RunStep.ts"
import { GatePort } from "../gate/GatePort.ts"
import { withoutObstacle } from "../git/Obstacle.ts"
import { PlanContext } from "../PlanContext.ts"
import { type Run, type Task, taskOf } from "../run/Run.ts"
import { refusalInWords } from "../run/RunFields.ts"
import { untilStopped } from "../Waiting.ts"
import type { LeftTree, WorkingTree } from "./TaskTree.ts"
import { TreePort } from "./TreePort.ts"

type Landing = NonNullable<WorkingTree["landing"]>

const have = "have that commit in your branch too (git merge), and commit what has to change"

/** Makes what the run's branch becomes: the approved work itself, or a commit of both, which the gate takes. */
const planned = Effect.fnUntraced(function* ({ id, tree }: Task, head: string, onto: string) {
  const { git, plan, ref } = yield* PlanContext
  const { branches } = git
  if (yield* branches.isIn(onto, head)) return { to: head, made: [] }
  const merged = yield* branches.merge(onto, head)
  if ("conflicts" in merged)
    return {
      message: `the run's branch is at ${onto} by now, and your work is at odds with it in ${merged.conflicts}: ${have}`
    }
  const to = yield* branches.commit(merged.tree, [onto, head], `Merge branch '${tree?.branch ?? id}'`)
  const gate = plan.tasks.find((one) => one.id === id)?.gate
  if (gate === undefined) return { to, made: [to] }
  const judged = (yield* GatePort).judge({ gate, head: to, ref })
  const refused = yield* Effect.raceFirst(judged, Effect.as(untilStopped(), "stopped" as const))
  if (refused === "stopped") return { stopped: true }
  return refused === null
    ? { to, made: [to] }
    : { message: `the run's branch is at ${onto} by now: ${have}. Merged with that, ${refusalInWords(refused)}` }
})

/** Names the files of the project that git does not know, and that approved work would write over. */
export const inTheWay = Effect.fn("inTheWay")(function* ({ work }: Pick<Task, "work">) {
  const { git } = yield* PlanContext
  return yield* git.unknown(work.files)
})

/**
 * Lands the approved work of a task on the run's branch, in the project (spec: behaviour#a-work-tree-a-task). The
 * commit that the branch moves to is made first, and named in the log. So a conductor that was killed meanwhile moves
 * on to the same commit, and one that is there is only told.
 */
export const landWork = Effect.fn("landWork")(function* (run: Run, task: Task, { from, head, made, to }: Landing) {
  const { git, ref } = yield* PlanContext
  const { id: taskId } = task
  const has = (commit: string) => Effect.map(git.missing([commit]), (missing) => missing.length === 0)
  if (to !== null && (yield* has(to))) return yield* ref.dispatch({ _tag: "ReportLanding", taskId, made })
  if (yield* has(head)) return yield* ref.dispatch({ _tag: "ReportLanding", taskId, made: [] })
  return yield* withoutObstacle(
    true,
    Effect.gen(function* () {
      const files = yield* inTheWay(task)
      if (files.length > 0)
        return yield* ref.dispatch({ _tag: "Pause", reason: "dirty", files: files.slice(0, 50), message: "" })
      const onto = yield* git.head
      if (onto === null)
        return yield* ref.dispatch({ _tag: "Pause", reason: "history", files: [], message: "HEAD has no commit" })
      if (to !== null && onto === from) {
        yield* ref.granted((now) => stepIn(steps(now), "Land", taskId) !== undefined)
        yield* git.forward(to)
        return yield* ref.dispatch({ _tag: "ReportLanding", taskId, made })
      }
      // HEAD has moved since, or it is planned for the first time.
      const plan = yield* planned(task, head, onto)
      if ("stopped" in plan) return yield* ref.state
      return "message" in plan
        ? yield* ref.dispatch({ _tag: "RefuseLanding", taskId, onto, message: plan.message })
        : yield* ref.dispatch({ _tag: "PlanLanding", taskId, from: onto, ...plan })
    }),
    run
  )
})

/** Removes a work tree that is needed no more, with its branch, unless it has something that did not land. */
export const clearTree = Effect.fn("clearTree")(function* (run: Run, tree: LeftTree) {
  const { git, ref } = yield* PlanContext
  const before = taskOf(run, tree.taskId)?.untracked ?? null
  const kept = yield* (yield* TreePort).remove(tree, yield* git.head, before)
  return yield* ref.dispatch({ _tag: "ClearTree", taskId: tree.taskId, folder: tree.folder, kept })
})
