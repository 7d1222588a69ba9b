import { shellWord } from "../Invocation.ts"
import type { Finish, PlanGate, PlannedTask } from "./Plan.ts"
import type { Run, Task } from "../run/Run.ts"

const taskDetails = ({ acceptanceCriteria, constraints, description, id, title }: PlannedTask) => `**Task ID:** ${id}
**Title:** ${title}
**Description:**
${description}

**Acceptance Criteria:**
${acceptanceCriteria}${constraints === undefined ? "" : `\n\n**Constraints of the whole plan:**\n${constraints}`}`

const references = ({ referenceDocs }: PlannedTask, doing: "implementing" | "reviewing") =>
  referenceDocs.length === 0
    ? ""
    : `### Reference Documents

Review these documents before ${doing}:

${referenceDocs.map(({ description, path }) => `- \`${path}\`: ${description}`).join("\n")}

`

/**
 * Maximum count of feedback and of guidance, and maximum bytes of each and of the names of files. A prompt is one
 * argument, which Linux limits to 128 KiB. The task itself may have 32,000 bytes of it.
 */
const [maxTold, maxBytes] = [4, 28_000]
const utf8 = new TextEncoder()

/** Returns the first texts that there is room for, at least a part of the first. */
const fitting = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let leftBytes = maxBytes
  for (const text of texts) {
    const bytes = utf8.encode(text)
    leftBytes -= bytes.length
    if (leftBytes >= 0) kept.push(text)
    else if (kept.length === 0) kept.push(`${new TextDecoder().decode(bytes.subarray(0, maxBytes))}…`)
    if (leftBytes < 0) break
  }
  return kept
}

/** Returns the newest texts that there is room for, in their order. */
const newest = (texts: ReadonlyArray<string>) => fitting(texts.slice(-maxTold).toReversed()).toReversed()

const feedbackText = ({ attempt, issues, summary, suggestions }: Task["feedback"][number]): string =>
  [
    `**Attempt ${attempt} Feedback:**`,
    summary,
    ...(issues.length === 0 ? [] : ["", "Issues identified:", ...issues.map((issue) => `- ${issue}`)]),
    ...(suggestions.length === 0 ? [] : ["", "Suggestions:", ...suggestions.map((suggestion) => `- ${suggestion}`)])
  ].join("\n")

/** Quotes a file's name as one line of JSON without invisible characters. A name may hold any text. */
const quoted = (file: string) =>
  JSON.stringify(file).replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (mark) =>
    Array.from({ length: mark.length }, (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
  )

/** Maximum of files unknown to git that are named. */
const maxForgotten = 50
const listed = (files: ReadonlyArray<string>) =>
  [
    ...files.slice(0, maxForgotten).map((name) => `- ${quoted(name)}`),
    ...(files.length > maxForgotten ? [`- and ${files.length - maxForgotten} more`] : [])
  ].join("\n")

const previous = ({ earlier, feedback, guidance, lastFailure }: Task, forgotten: ReadonlyArray<string>): string => {
  const parts = [
    ...(earlier === null
      ? []
      : [`**Done before:** in ${earlier.commits.slice(-maxFiles).join(", ")}. Do it again on top of that.`]),
    ...(feedback.length === 0 ? [] : ["This task has been attempted before. Learn from the reviewer feedback:"]),
    ...newest(feedback.map(feedbackText)),
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
    ...(guidance.length === 0 ? [] : [["**Guidance of the user:**", ...newest(guidance)].join("\n")])
  ]
  return parts.length === 0 ? "" : `### Previous Attempts (if any)\n\n${parts.join("\n\n")}\n\n`
}

/** Asks for the word of the launch. It tells what an agent says from what it read. */
const answered = (word: string) =>
  `Print your answer last, with nothing after it. Its first word is followed by \`${word}\`, which only you have, and only for this turn. An answer without that word does not count.`

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

${answered(word)}

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
${answered(word)} Its form is that of your task:

\`\`\`
${verdicts[0]} ${word}
\`\`\`

\`\`\`
${verdicts[1]} ${word}
\`\`\`
`
}

/** Maximum of files that are named to a reviewer. The rest is in the commits. */
const maxFiles = 200

const changed = (files: ReadonlyArray<string>) => {
  const named = fitting(files.slice(0, maxFiles).map((file) => `- ${quoted(file)}`))
  return [
    ...named,
    ...(files.length > named.length ? [`- and ${files.length - named.length} more, in the commits`] : [])
  ].join("\n")
}

const gateLine = ({ verify }: PlanGate) => verify.map((words) => `\`${words.map(shellWord).join(" ")}\``).join(", ")

/** Tells a reviewer which programs took the work, so that it need not run them. */
const verifiedBy = ({ gate }: PlannedTask, { implementation }: Pick<Task, "implementation">) =>
  gate === undefined || implementation?.verified !== true
    ? ""
    : `**Gate:** in a clean checkout of the last commit these ended with 0: ${gateLine(gate)}\n`

/** Returns the user's guidance for a reviewer, which would else reject what the user asked for. */
const decided = (guidance: ReadonlyArray<string>) =>
  guidance.length === 0
    ? ""
    : `### Guidance of the User\n\nSince then the user has said this about the task. Where it differs from the specification, follow it:\n\n${newest(guidance).join("\n\n")}\n\n`

/**
 * Returns a reviewer's prompt: the task, its documents, the user's guidance, and what git says of the implementation.
 * Nothing that the implementer said is in it, and no name of a file unquoted. `word` and `forgotten`: as for an
 * implementer.
 */
export const reviewerPrompt = (
  planned: PlannedTask,
  { guidance, implementation, work }: Task,
  word: string,
  forgotten: ReadonlyArray<string> = []
): string => `## Code Review Task

You are reviewing an implementation for the workflow.

### Task Specification

${taskDetails(planned)}

${references(planned, "reviewing")}${decided(guidance)}### Implementation Details

**Commits:** ${work.commits.slice(-maxFiles).join(", ")}
**Files Changed:**
${changed(work.files)}

**Test File:** ${work.testFile === null ? "none was named" : quoted(work.testFile)}
${verifiedBy(planned, { implementation })}${forgotten.length === 0 ? "" : `\n**Not in any commit:** these files are new since the task began, and git does not know them. Work that needs one of them is not whole:\n${listed(forgotten)}\n`}
### Review Checklist

Verify each item:

- [ ] **Functionality** - Implementation meets acceptance criteria
- [ ] **Tests** - Test coverage is adequate and tests pass
- [ ] **Code Quality** - Code is clean, readable, follows conventions
- [ ] **No Regressions** - Existing functionality not broken
- [ ] **Documentation** - Code is appropriately documented
- [ ] **Security** - No obvious security issues introduced

### Instructions

1. Read the task specification carefully
2. Review all changed files and commits
3. Run the tests and verify they pass
4. Check each item on the review checklist
5. Provide detailed feedback

### Output

${answered(word)}

If the implementation is acceptable, output:

\`\`\`
APPROVED ${word}
summary: [brief summary of what was implemented]
\`\`\`

If the implementation needs changes, output:

\`\`\`
REJECTED ${word}
summary: [overall assessment]
issues:
- [specific issue 1]
- [specific issue 2]
suggestions:
- [actionable suggestion 1]
- [actionable suggestion 2]
\`\`\`
`

/** Returns the summary of a run whose tasks are all complete. */
export const completionSummary = ({ dropped, summary, tasks }: Run): string =>
  [
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
