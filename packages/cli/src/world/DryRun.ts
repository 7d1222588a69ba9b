import { freshTask, implementerPrompt, type LoadedPlan, orderOf, type Plan, reviewerPrompt } from "@souffleur/plan"
import { plain } from "@souffleur/domain"
import type { CastAgent } from "@souffleur/embed/internal"
import { Console, Effect } from "effect"
import { printJson, printLines } from "../Printing.ts"

/** Describes the finishing step of a plan. */
const ending = (finish: Plan["finish"]): string => {
  switch (finish._tag) {
    case "None":
      return "and no finishing step"
    case "Prompt":
      return `and then an agent: ${finish.prompt}`
    case "Command":
      return `and then the command ${JSON.stringify(finish.command)}`
  }
}

/** Indents each line of a prompt, so that none looks like a line of ours. */
const indented = (prompt: string) => prompt.replaceAll(/^(?=.)/gmu, "    ")

/** In place of the word that each launch is given. */
const word = "WORD"

/**
 * Prints the order of a plan's tasks, the agents of its roles, and the prompts of their first agents. Writes and
 * launches nothing.
 */
export const dryRun = Effect.fn("Conduct.dryRun")(function* (
  { plan }: LoadedPlan,
  cast: ReadonlyArray<CastAgent>,
  asJson: boolean
) {
  const tasks = orderOf(plan).map((task) => {
    const fresh = freshTask({ id: task.id, title: task.title, dependsOn: task.dependsOn })
    return { task, implementer: implementerPrompt(task, fresh, word), reviewer: reviewerPrompt(task, fresh, word) }
  })
  if (asJson) {
    const rows = tasks.map(({ implementer, reviewer, task }) => ({
      id: task.id,
      title: task.title,
      depends_on: task.dependsOn,
      implementer_prompt: implementer,
      reviewer_prompt: reviewer
    }))
    const agents = cast.map(({ agent, heldBy, permission, role }) => ({ role, agent, permission, held_by: heldBy }))
    return yield* printJson({ workflow_id: plan.workflowId, agents, tasks: rows, finish: plan.finish })
  }
  yield* Console.log(`Workflow ${plan.workflowId}, in this order:`)
  yield* Effect.forEach(tasks, ({ task }, index) =>
    Console.log(`${String(index + 1).padStart(3)}  ${task.id}  ${task.title}`)
  )
  yield* Console.log(`     ${ending(plan.finish)}`)
  yield* Effect.forEach(cast, ({ agent, heldBy, permission, role }) =>
    Console.log(
      `${role} by ${agent}, ${heldBy === null ? `with at most ${permission}` : `held to reading by ${heldBy}`}`
    )
  )
  yield* Effect.forEach(tasks, ({ implementer, reviewer, task }) =>
    printLines(
      `\n──── ${plain(task.id)}: implementer\n\n${indented(implementer)}\n──── ${plain(task.id)}: reviewer\n\n${indented(reviewer)}`
    )
  )
})
