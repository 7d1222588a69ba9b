import { codeSpan, plain, Words } from "@souffleur/domain"
import type { Run, Task } from "../run/Run.ts"
import type { Plan } from "../tasks/Plan.ts"
import { programLines } from "../tasks/PlanGates.ts"

/** Characters of a title. */
const maxTitle = 120

const taskLine = ({ feedback, final, id, skipped, title, verified, work: { commits } }: Task): string => {
  const named = `- **${id}** ${codeSpan(title, maxTitle)}`
  if (skipped) return `${named}: skipped`
  const after = feedback.length === 0 ? "" : ` after ${Words.many(feedback.length, "rejection")}`
  const said = `${named}: approved by its reviewer${after}, ${verified ? "verified by the gate" : "unverified"}`
  // The final review is of all commits.
  return final === true ? said : `${said}, ${commits.map((commit) => commit.slice(0, 12)).join(", ")}`
}

/**
 * Returns what a pull request says of a run: its tasks, commits, gate and reviews, and no word of an agent. A title of
 * the plan is no Markdown there, and mentions nobody.
 */
export const pullRequestText = (run: Run, plan: Pick<Plan, "tasks">) => {
  const gate = programLines(plan)
  const tasks = run.tasks.filter(({ final }) => final !== true)
  const one = tasks.length === 1 ? tasks[0] : undefined
  return {
    title: plain(one?.title ?? `${run.workflowId}: ${Words.many(tasks.length, "task")}`, maxTitle),
    body: [
      ...run.tasks.map(taskLine),
      ...(gate.length === 0 ? [] : ["", "The gate:", "", ...gate.map((program) => `    ${plain(program)}`)]),
      ...(run.dropped.length === 0 ? [] : ["", `Dropped from the plan: ${run.dropped.join(", ")}`])
    ].join("\n")
  }
}
