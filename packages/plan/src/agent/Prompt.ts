import type { Finish } from "../tasks/Finish.ts"
import type { PlannedTask } from "../tasks/PlannedTask.ts"
import { wordAsked, gateLine, listed, maxFiles, newestTexts, references, taskDetails } from "../tasks/PromptParts.ts"
import type { Run, Task } from "../run/Run.ts"

const feedbackText = ({ attempt, issues, summary, suggestions }: Task["feedback"][number]): string =>
  [
    attempt === 0 ? "**Feedback:**" : `**Attempt ${attempt} Feedback:**`,
    summary,
    ...(issues.length === 0 ? [] : ["", "Issues identified:", ...issues.map((issue) => `- ${issue}`)]),
    ...(suggestions.length === 0 ? [] : ["", "Suggestions:", ...suggestions.map((suggestion) => `- ${suggestion}`)])
  ].join("\n")

const previous = ({ earlier, feedback, guidance, lastFailure }: Task, forgotten: ReadonlyArray<string>): string => {
  const parts = [
    ...(earlier === null
      ? []
      : [`**Done before:** in ${earlier.commits.slice(-maxFiles).join(", ")}. Do it again on top of that.`]),
    ...(feedback.length === 0 ? [] : ["This task has been attempted before. Learn from the reviewer feedback:"]),
    ...newestTexts(feedback.map(feedbackText)),
    ...(lastFailure === null
      ? []
      : [
          `**The last attempt came to nothing:** ${lastFailure}${lastFailure.endsWith("\n") ? "\n" : ". "}Its work may lie in the project: look first.`
        ]),
    ...(forgotten.length === 0
      ? []
      : [
          `**Not in any commit:** git does not know these files; commit what belongs to the work:\n${listed(forgotten)}`
        ]),
    ...(guidance.length === 0 ? [] : [["**Guidance of the user:**", ...newestTexts(guidance)].join("\n")])
  ]
  return parts.length === 0 ? "" : `### Previous Attempts (if any)\n\n${parts.join("\n\n")}\n\n`
}

/**
 * Returns an implementer's prompt. `word`: the word of this launch. `forgotten`: files that are new since the task
 * began, and that git does not know.
 */
export const implementerPrompt = (
  planned: PlannedTask,
  task: Task,
  word: string,
  forgotten: ReadonlyArray<string> = []
): string => `## Implementation Task

You are implementing a task from the workflow plan.

### Task Details

${taskDetails(planned)}

${references(planned, "implementing")}${previous(task, forgotten)}### Instructions

1. **Read documentation** - Review all reference docs and related code
2. **Use TDD approach** - Write tests first, then implementation
3. **Follow project conventions** - Match existing code style and patterns
4. **Make atomic commits** - One logical change per commit
5. **Run tests** - Ensure all tests pass before completing
${planned.gate === undefined ? "" : `6. **The gate** - These judge your commits, in a clean checkout: ${gateLine(planned.gate)}\n`}
### Output

${wordAsked(word)}

When implementation is complete, output exactly:

\`\`\`
IMPLEMENTATION_COMPLETE ${word}
commits: [list of commit hashes]
files_changed: [list of modified files]
test_file: [path to test file]
\`\`\`

If you encounter blockers you cannot resolve, output:

\`\`\`
IMPLEMENTATION_BLOCKED ${word}
reason: [explanation of blocker]
\`\`\`
`

/** The titles of the prompts and the headers of the verdicts. */
const sections = {
  implementer: { title: "Implementation Task", verdicts: ["IMPLEMENTATION_COMPLETE", "IMPLEMENTATION_BLOCKED"] },
  reviewer: { title: "Code Review Task", verdicts: ["APPROVED", "REJECTED"] }
} as const

/**
 * Tells an agent in its own session what is left to do of its task, and once more how it ends. `word`: the word of this
 * launch, as the one before does not count any more.
 */
export const nudgePrompt = (
  role: keyof typeof sections,
  message: string,
  word: string,
  forgotten: ReadonlyArray<string> = []
): string => {
  const { title, verdicts } = sections[role]
  return `## ${title}, continued

It is not done yet: ${message}${message.endsWith("\n") ? "\n" : ". "}Go on from where you are, in this turn; nobody answers a question.
${forgotten.length === 0 ? "" : `\nFiles that git does not know, new since the task began:\n${listed(forgotten)}\n`}
${wordAsked(word)} Its form is that of your task:

\`\`\`
${verdicts[0]} ${word}
\`\`\`

\`\`\`
${verdicts[1]} ${word}
\`\`\`
`
}

/** Returns the summary of a run whose tasks are all complete. */
export const completionSummary = ({ dropped, summary, tasks: all }: Run): string => {
  const tasks = all.filter(({ final }) => !final)
  return [
    "## Implementation Complete",
    "",
    `${tasks.length === 1 ? "The one task has" : `All ${tasks.length} tasks have`} been implemented and reviewed${summary?.skipped ? `, but for ${summary.skipped} that the user skipped or had done before` : ""}.`,
    ...(dropped.length === 0 ? [] : [`Dropped with the plan, and not done: ${dropped.join(", ")}.`]),
    "",
    "### Summary",
    `- Tasks completed: ${summary?.completed ?? 0}`,
    `- Verified by a program: ${tasks.filter(({ verified }) => verified).length}`,
    `- Total commits: ${summary?.commits ?? 0}`,
    `- Files changed: ${summary?.files ?? 0}`
  ].join("\n")
}

/**
 * Returns the prompt of the finishing step. With a skill it begins with `skillPrompt`, and the rest is the skill's
 * arguments: a skill that would ask a person is told that none can hear it.
 */
export const finisherPrompt = (run: Run, finish: Finish, skillPrompt: string): string => {
  const [call, told] =
    finish._tag === "Skill"
      ? [
          `${skillPrompt} `,
          "No person can be asked. Where a choice is a person's, leave the branch as it is, and end by saying what is done and what is left to choose."
        ]
      : ["", finish._tag === "Prompt" ? finish.prompt : ""]
  return `${call}${completionSummary(run)}\n\nTransitioning to Phase 4: Finishing the development branch.\n\n${told}\n`
}
