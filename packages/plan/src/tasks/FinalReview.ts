import type { PlannedTask } from "./PlannedTask.ts"
import { fitting } from "./PromptParts.ts"

/** The id of the step in which a reviewer judges the work of all tasks together (spec: behaviour#final-review). */
export const finalReviewId = "final-review"

/** Returns that step as a task of its plan: what is asked of all of its work. */
export const finalReviewOf = (tasks: ReadonlyArray<PlannedTask>) => {
  const criteria = tasks.map(({ acceptanceCriteria, id, title }) => `**${id}: ${title}**\n\n${acceptanceCriteria}`)
  // Each task has what the plan says for all.
  const common = new TextEncoder().encode(JSON.stringify([tasks[0]?.constraints, tasks[0]?.referenceDocs])).length
  const told = fitting(criteria, Math.max(1000, 28_000 - common))
  return {
    id: finalReviewId,
    title: "Final review",
    description:
      "Every task of the plan is complete, and was reviewed alone. This step is about the work of all of them together: whether it fits, and what fell between the tasks.",
    acceptance_criteria: [
      ...told,
      ...(told.length < criteria.length ? [`And those of ${criteria.length - told.length} more tasks.`] : [])
    ].join("\n\n"),
    depends_on: tasks.map(({ id }) => id),
    ...(tasks.every(({ done }) => done === true) ? { done: true } : {})
  }
}
