import { Schema } from "effect"
import { type Gated, programLines, ProgramSource } from "./PlanGates.ts"
import type { PlanProgram } from "./PlannedTask.ts"

/** The last step, when every task is complete (spec: behaviour#finishing-step). */
export type Finish =
  | { readonly _tag: "None" }
  | { readonly _tag: "Prompt"; readonly prompt: string }
  | { readonly _tag: "Skill"; readonly skill: string }
  | { readonly _tag: "Command"; readonly command: PlanProgram }
  /** souffleur itself does these, or nobody. */
  | { readonly _tag: "Leave" }
  | { readonly _tag: "Merge" }
  | { readonly _tag: "PullRequest" }

/** The finishing prompt of a plan that has none. In print mode no person hears a question. */
const finishing =
  "Run all tests and verify that they pass. No person can be asked: do not merge, push, or delete anything, and leave the branch as it is. End by saying what is done, and what you found."

const Text = Schema.Trim.check(Schema.isNonEmpty())
/** The name of a skill, with that of its plugin before it where it has one. It becomes a word of a prompt. */
const Skill = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/u, {
    message: "must be the name of a skill, such as finishing-a-development-branch"
  })
)

/** The finishing step in a plan's source. */
export const FinishSource = Schema.Union([
  Schema.Literals(["none", "leave", "merge", "pull-request"]),
  Schema.Struct({ prompt: Text }),
  Schema.Struct({ skill: Skill }),
  Schema.Struct({ command: ProgramSource })
])

const acts = {
  none: { _tag: "None" },
  leave: { _tag: "Leave" },
  merge: { _tag: "Merge" },
  "pull-request": { _tag: "PullRequest" }
} as const

/** Returns the finishing step of a source; `undefined`: it says none, and an agent runs all tests. */
export const finishOf = (finish: typeof FinishSource.Type | undefined): Finish => {
  if (finish === undefined) return { _tag: "Prompt", prompt: finishing }
  if (typeof finish === "string") return acts[finish]
  if ("skill" in finish) return { _tag: "Skill", skill: finish.skill }
  return "prompt" in finish ? { _tag: "Prompt", prompt: finish.prompt } : { _tag: "Command", command: finish.command }
}

/** The word of a plan that lets souffleur name the branch. */
const auto = "auto"

/**
 * A branch of a plan's source: the word `auto`, or a name that git takes for a branch and no program for an option. It
 * is not the full name of a ref.
 */
export const BranchSource = Schema.String.check(
  Schema.isPattern(/^(?!refs\/|HEAD$)(?!.*(?:\.\.|\.lock(?:\/|$)|\.(?:\/|$)))\w[\w.+-]*(?:\/\w[\w.+-]*)*$/u, {
    message: "must be auto, or the name of a branch, such as feature/auth: letters, digits and ._+- between its /"
  }),
  Schema.isMaxLength(200)
)

/** Returns an id as a word of a branch's name. */
export const branchWord = (id: string): string => id.replaceAll(/\.{2,}/gu, "-").replace(/\.(?:lock)?$/u, "-")

/** Returns the name that a branch of a plan should have. */
export const branchName = (branch: string, workflowId: string): string =>
  branch === auto ? `souffleur/${branchWord(workflowId)}` : branch

/** Returns the name of a branch in place of one that is taken; `undefined`: the plan names it, and no other will do. */
export const otherName = (branch: string, workflowId: string, count: number): string | undefined =>
  branch === auto ? `${branchName(branch, workflowId)}-${count}` : undefined

/** Returns whether a plan itself names this branch. */
export const isNamed = (wanted: string, branch: string | null): boolean => wanted !== auto && branch === wanted

/** Returns what of a plan a person must trust, each as a line: the programs of its gates, and its acts outside. */
export const trustLines = (plan: Gated & { readonly finish: Finish }): ReadonlyArray<string> => [
  ...programLines(plan),
  ...(plan.finish._tag === "PullRequest" ? ["git push", "gh pr create"] : [])
]
