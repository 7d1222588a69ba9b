import { Equal } from "effect"
import { stringify } from "yaml"
import type { RoleChoice } from "../run/RunFields.ts"
import type { Finish } from "../tasks/Finish.ts"
import type { Plan } from "../tasks/Plan.ts"

/** Returns the list that a prompt's text was made of, or that text. */
const criteriaOf = (text: string) => {
  const lines = text.split("\n")
  return lines.every((line) => /^- \S/u.test(line) && line.slice(2) === line.slice(2).trim())
    ? lines.map((line) => line.slice(2))
    : text
}

const finishOf = (finish: Finish) => {
  switch (finish._tag) {
    case "None":
      return "none"
    case "Leave":
      return "leave"
    case "Merge":
      return "merge"
    case "PullRequest":
      return "pull-request"
    case "Prompt":
      return { prompt: finish.prompt }
    case "Skill":
      return { skill: finish.skill }
    case "Command":
      return { command: finish.command }
  }
}

/** Returns a role as its key has it: one model is no list. */
const roleOf = ({ models, ...role }: RoleChoice) => ({
  agent: role.agent,
  model: models.length < 2 ? models[0] : models,
  effort: role.effort,
  fallback: role.fallback
})

/** Returns a plan as YAML that is read as the same plan. */
export const writePlan = (plan: Plan): string => {
  const { agents, branch, finish, keepsGoing, parallel, questions, tasks: all, workflowId, worktrees } = plan
  const tasks = all.filter(({ final }) => final === undefined)
  const gates = tasks.flatMap(({ gate }) => gate ?? [])
  const isCommon = tasks.every(({ gate }) => Equal.equals(gate?.verify, gates[0]?.verify))
  return stringify(
    {
      workflow_id: workflowId,
      agents:
        agents === undefined
          ? undefined
          : Object.fromEntries(Object.entries(agents).map(([role, choice]) => [role, roleOf(choice)])),
      // Each task has those of its plan.
      constraints: tasks[0]?.constraints,
      setup: gates.at(0)?.setup.length === 0 ? undefined : (gates.at(0)?.setup ?? tasks[0]?.setup),
      verify: isCommon ? gates[0]?.verify : undefined,
      branch,
      questions,
      worktrees,
      parallel,
      on_escalation: keepsGoing === true ? "continue" : undefined,
      final_review: tasks.length < all.length ? true : undefined,
      finish: finishOf(finish),
      tasks: tasks.map(
        ({ acceptanceCriteria, dependsOn, description, done, gate, id, referenceDocs, title, touches }) => ({
          id,
          title,
          description,
          acceptance_criteria: criteriaOf(acceptanceCriteria),
          reference_docs: referenceDocs.length === 0 ? undefined : referenceDocs,
          depends_on: dependsOn.length === 0 ? undefined : dependsOn,
          touches,
          verify: isCommon ? undefined : gate?.verify,
          done
        })
      )
    },
    { lineWidth: 0, aliasDuplicateObjects: false }
  )
}
