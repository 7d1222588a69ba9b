import type { PlanKey, TaskKey } from "../tasks/Plan.ts"

/** An example of a key, and what it does. */
type Line = readonly [example: string, does: string]

/** Every key but that of the tasks: a key without a line, and a line without a key, do not compile. */
const keys: Readonly<Record<Exclude<PlanKey, "tasks">, Line>> = {
  workflow_id: ["my-work", "its name; default: that of this file"],
  reference_docs: ["[]", "files that every agent reads first, such as docs/spec.md"],
  constraints: ["[no new dependency]", "what is asked of each task"],
  setup: ["[npm, ci]", "makes a checkout of the gate, or a work tree, ready"],
  verify: ["[[npm, test], [npm, run, lint]]", "the gate: programs that judge each task in a checkout of its own"],
  agents: [
    "{implementer: {agent: one, model: [small, large], effort: high, fallback: {agent: other}}, reviewer: {agent: other}}",
    "who does what, and who while the service refuses that"
  ],
  questions: ["true", "a reviewer says first what is unclear in the plan"],
  final_review: ["true", "a reviewer judges the work of all tasks together at the end"],
  branch: ["auto", "the work gets a branch of its own; default: the one that is checked out"],
  worktrees: ["true", "each task in a git work tree of its own, from which approved work lands"],
  parallel: ["2", "with worktrees: so many tasks at work at once, at most"],
  on_escalation: ["continue", "with worktrees: a task that waits for you stops only those that depend on it"],
  finish: ["leave", "or merge, pull-request, none, {skill: NAME}, {prompt: …}; default: an agent runs all tests"]
}

const taskKeys: Readonly<Record<Exclude<TaskKey, "id">, Line>> = {
  title: ["What is to be done", ""],
  description: ["All that an implementer must know", ""],
  acceptance_criteria: ["[how anybody can tell that it is done]", ""],
  reference_docs: ["[]", "files that its agents read first"],
  depends_on: ["[]", "ids of tasks that come before it"],
  touches: ["[src/**]", "files that no task at work beside it may touch"],
  verify: ["[npm, run, e2e]", "programs that judge this task besides"],
  done: ["false", "true: it is skipped"]
}

const lines = (all: Readonly<Record<string, Line>>, indent = "") =>
  Object.entries(all).map(
    ([key, [example, does]]) => `# ${indent}${key}: ${example}${does === "" ? "" : `  # ${does}`}`
  )

/** The text of a new plan. Nothing in it is in force, so that no agent works by an example. */
export const newPlan: string = [
  "# A plan for `souffleur conduct`. Take the first `# ` away from what you want, and write your tasks.",
  "# `souffleur conduct --dry-run` with this file prints what is understood of it.",
  ...lines(keys),
  "tasks:",
  "# - id: task-001",
  ...lines(taskKeys, "  "),
  ""
].join("\n")
