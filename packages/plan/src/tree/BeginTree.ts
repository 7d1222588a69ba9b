import { Effect } from "effect"
import { stepIn, steps } from "../decide/RunStep.ts"
import { GatePort } from "../gate/GatePort.ts"
import { PlanContext } from "../PlanContext.ts"
import type { Run, Task } from "../run/Run.ts"
import { branchWord } from "../tasks/Finish.ts"
import { TreePort } from "./TreePort.ts"

/** How many names are tried. */
const maxNames = 100

/** Returns a free branch and a free folder for the work tree of a task, or why there is none. */
export const roomFor = Effect.fn("roomFor")(function* ({ trees, workflowId }: Run, { id }: Task) {
  const { git, ref } = yield* PlanContext
  const port = yield* TreePort
  const heads = yield* git.branches.heads
  let problem = "every name of its branch is taken"
  for (let count = 1; count <= maxNames; count += 1) {
    const name = `${branchWord(id)}${count === 1 ? "" : `-${count}`}`
    const branch = `souffleur-task/${branchWord(workflowId)}/${name}`
    const beside = heads.find((one) => branch.startsWith(`${one.name}/`) || one.name.startsWith(`${branch}/`))
    if (beside !== undefined) problem = `git has no room for ${branch} beside ${beside.name}`
    else if (heads.every((one) => one.name !== branch)) {
      const folder = yield* port.room(ref.id, name)
      if (folder !== undefined && trees.every((one) => one.folder !== folder)) return { branch, folder }
    }
  }
  return { problem }
})

/**
 * Makes the work tree of a task from the commit that is checked out in the project. The log has its name before git has
 * it, and it is made anew where no agent was in it yet. Returns its git, or the run where its task cannot begin yet.
 */
export const beginTree = Effect.fn("beginTree")(function* (run: Run, task: Task, base: string) {
  const { plan, ref } = yield* PlanContext
  const port = yield* TreePort
  const { tree } = task
  if (tree === null || tree.base !== base) {
    const found = yield* roomFor(run, task)
    return {
      run: yield* "problem" in found
        ? ref.dispatch({ _tag: "Pause", reason: "branch", files: [], message: found.problem })
        : ref.dispatch({ _tag: "ChooseTree", taskId: task.id, base, ...found })
    }
  }
  yield* ref.granted((now) => stepIn(steps(now), "Start", task.id) !== undefined)
  const planned = plan.tasks.find(({ id }) => id === task.id)
  yield* port.make(
    tree,
    (planned?.referenceDocs ?? []).map((doc) => doc.path)
  )
  const git = yield* port.open(tree)
  const programs = planned?.gate?.setup ?? planned?.setup ?? []
  const refused = programs.length === 0 ? null : yield* (yield* GatePort).setUp({ folder: git.folder, programs, ref })
  // A person lets it begin all the same, or the gate has taken that commit.
  const isAllowed = run.baseline?.red === false && run.baseline.head === base
  return refused === null || isAllowed
    ? { git }
    : { run: yield* ref.dispatch({ _tag: "RefuseSetup", head: base, refused }) }
})
