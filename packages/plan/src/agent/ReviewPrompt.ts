import type { Task } from "../run/Run.ts"
import type { PlannedTask } from "../tasks/PlannedTask.ts"
import {
  wordAsked,
  fitting,
  gateLine,
  listed,
  maxFiles,
  newestTexts,
  quoted,
  references,
  taskDetails
} from "../tasks/PromptParts.ts"

const changed = (files: ReadonlyArray<string>, room?: number) => {
  const named = fitting(
    files.slice(0, maxFiles).map((file) => `- ${quoted(file)}`),
    room
  )
  return [
    ...named,
    ...(files.length > named.length ? [`- and ${files.length - named.length} more, in the commits`] : [])
  ].join("\n")
}

/** Tells a reviewer which programs took the work, so that it need not run them. */
const verifiedBy = ({ gate }: PlannedTask, { implementation }: Pick<Task, "implementation">) =>
  gate === undefined || implementation?.verified !== true
    ? ""
    : `**Gate:** in a clean checkout of the last commit these ended with 0: ${gateLine(gate)}\n`

/** Returns the user's guidance for a reviewer, which would else reject what the user asked for. */
const decided = (guidance: ReadonlyArray<string>) =>
  guidance.length === 0
    ? ""
    : `### Guidance of the User\n\nSince then the user has said this about the task. Where it differs from the specification, follow it:\n\n${newestTexts(guidance).join("\n\n")}\n\n`

/** Maximum bytes of the findings of the last review, of the files since it, and of the minor findings. */
const roomBytes = { findings: 12_000, files: 6000, minor: 4000 } as const

/** What git says beside the work of a task. */
interface ReviewSight {
  /** Files that are new since the task began, and that git does not know. */
  readonly forgotten?: ReadonlyArray<string>
  /** The commits since the last review, and the files that they change; absent: that commit is unknown. */
  readonly since?: Pick<Task["work"], "commits" | "files"> | undefined
}

const bullets = (texts: ReadonlyArray<string>, room: number) =>
  fitting(
    texts.map((text) => `- ${text}`),
    room
  ).join("\n")

/** Tells the next reviewer what the last one found, and what was done since. Both are a reviewer's and git's words. */
const lastReview = ({ feedback, guidance, implementation, minor, reviewed }: Task, since: ReviewSight["since"]) => {
  const last = feedback.at(-1)
  if (last === undefined) return ""
  const range =
    since === undefined
      ? ""
      : `**Commits Since:** \`${reviewed}..${implementation?.head ?? "HEAD"}\` (${since.commits.length})\n**Files Changed Since:**\n${changed(since.files, roomBytes.files)}\n\n`
  return `### Last Review

Another reviewer rejected an earlier state of this work. First find out whether each of its findings is mended${guidance.length === 0 ? "" : ", as far as the user's guidance leaves it standing"}:

${bullets(last.issues.length === 0 ? [last.summary] : last.issues, roomBytes.findings)}

${range}${minor.length === 0 ? "" : `Noted already as minor, and left for a person. Do not list these again:\n\n${bullets(minor, roomBytes.minor)}\n\n`}Then judge the whole task.

`
}

/**
 * Returns a reviewer's prompt: the task, its documents, the user's guidance, and what git says of the implementation.
 * Nothing that the implementer said is in it, and no name of a file unquoted. `word`: as for an implementer.
 */
export const reviewerPrompt = (
  planned: PlannedTask,
  task: Task,
  word: string,
  { forgotten = [], since }: ReviewSight = {}
): string => {
  const { guidance, implementation, work } = task
  return `## Code Review Task

You are reviewing an implementation for the workflow.

### Task Specification

${taskDetails(planned)}

${references(planned, "reviewing")}${decided(guidance)}### Implementation Details

**Commits:** ${work.commits.slice(-maxFiles).join(", ")}
**Files Changed:**
${changed(work.files)}

**Test File:** ${work.testFile === null ? "none was named" : quoted(work.testFile)}
${verifiedBy(planned, { implementation })}${forgotten.length === 0 ? "" : `\n**Not in any commit:** these files are new since the task began, and git does not know them. Work that needs one of them is not whole:\n${listed(forgotten)}\n`}
${lastReview(task, since)}### Review Checklist

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
5. Sort your findings. Blocking: a criterion or a constraint is not met, something is broken, or unsafe. All else is minor: it is kept for a person, and holds nothing up

### Output

${wordAsked(word)}

If nothing blocks, output (without \`minor\` where there is none):

\`\`\`
APPROVED ${word}
summary: [brief summary of what was implemented]
minor:
- [minor finding 1]
\`\`\`

If the implementation needs changes, output:

\`\`\`
REJECTED ${word}
summary: [overall assessment]
blocking:
- [specific issue 1]
- [specific issue 2]
minor:
- [minor finding 1]
suggestions:
- [actionable suggestion 1]
- [actionable suggestion 2]
\`\`\`
`
}
