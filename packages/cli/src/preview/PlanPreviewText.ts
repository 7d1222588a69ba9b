import { plain } from "@souffleur/domain"
import type { PlanPreview } from "@souffleur/embed"
import { modelInWords } from "@souffleur/plan"
import { Console, Effect } from "effect"
import { printTable } from "../explain/TextTable.ts"
import { printJson, printLines } from "../Printing.ts"
import { printChecks } from "./CheckTable.ts"

/** Describes the finishing step of a plan. */
const ending = ({ finish }: PlanPreview): string => {
  switch (finish._tag) {
    case "None":
      return "and no finishing step"
    case "Leave":
      return "and the work is left on its branch"
    case "Merge":
      return "and then its branch is merged into the one it began from"
    case "PullRequest":
      return "and then its branch is pushed, with a pull request by gh"
    case "Prompt":
      return `and then an agent: ${finish.prompt}`
    case "Skill":
      return `and then an agent, by its skill ${finish.skill}`
    case "Command":
      return `and then the command ${JSON.stringify(finish.command)}`
  }
}

/** Indents each line of a prompt, so that none looks like a line of ours. */
const indented = (prompt: string) => prompt.replaceAll(/^(?=.)/gmu, "    ")

/** Prints the preview of a plan for a person, or as JSON. */
export const printPlanPreview = Effect.fn("printPlanPreview")(function* (preview: PlanPreview, asJson: boolean) {
  if (asJson) return yield* printJson(preview)
  const { agents, form, gate, goes_on, left_out, preflight, questions, tasks, workflow_id } = preview
  yield* Console.log(`Workflow ${workflow_id}, ${form === null ? "" : `${form}, `}in this order:`)
  const order = tasks.map(({ done, id, line, title }, index) => [
    String(index + 1),
    id,
    ...(line === null ? [] : [`line ${line}`]),
    `${title}${done ? ": done, says the plan" : ""}`
  ])
  yield* printTable([...order, ["", ending(preview)]], { indent: "  " })
  if (questions) yield* Console.log("a reviewer is asked first what is unclear in it")
  if (preview.worktrees) yield* Console.log("each task in a work tree of its own, from which approved work lands")
  if (preview.setup.length > 0)
    yield* Console.log(`each made ready by: ${preview.setup.map((words) => plain(words)).join("; ")}`)
  if (preview.parallel > 1) yield* Console.log(`up to ${preview.parallel} tasks at work at once`)
  if (gate.length > 0) yield* Console.log(`its gate: ${gate.map((words) => plain(words)).join("; ")}`)
  yield* Effect.forEach(left_out, (what) => Console.log(`left out: ${plain(what)}`))
  if (goes_on !== null) yield* Console.log(`run ${goes_on} goes on`)
  yield* Effect.forEach(agents, ({ agent, effort, fallback, held_by, models, permission, role }) =>
    Console.log(
      `${fallback ? `while the service refuses that, ${role}` : role} by ${agent}${plain(modelInWords({ effort, models }))}, ${held_by === null ? `with at most ${permission}` : `held to reading by ${held_by}`}`
    )
  )
  yield* Console.log("Before its first agent:")
  yield* printChecks(preflight)
  yield* Effect.forEach(
    tasks.filter(({ done }) => !done),
    ({ id, implementer_prompt, reviewer_prompt }) =>
      printLines(
        `\n──── ${plain(id)}: implementer\n\n${indented(implementer_prompt)}\n──── ${plain(id)}: reviewer\n\n${indented(reviewer_prompt)}`
      )
  )
})
