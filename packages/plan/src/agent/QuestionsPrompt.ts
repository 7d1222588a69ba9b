import { orderOf, type Plan } from "../tasks/Plan.ts"
import { gateLine, wordAsked } from "../tasks/PromptParts.ts"

/** UTF-16 units of all tasks in the prompt: it is one argument, and a plan may have a thousand tasks. */
const maxTasks = 60_000

/** Returns the prompt that asks a reviewer what is unclear in a plan. `word`: the word of this launch. */
export const questionsPrompt = (plan: Plan, word: string): string => {
  const tasks = orderOf(plan).filter(({ done, final }) => done !== true && final !== true)
  const [first] = tasks
  const listed = tasks
    .map(
      ({ acceptanceCriteria, dependsOn, gate, id, title }) =>
        `#### ${id}: ${title}\n\n${dependsOn.length === 0 ? "" : `After: ${dependsOn.join(", ")}\n`}Acceptance criteria:\n${acceptanceCriteria}\n${gate === undefined ? "" : `Gate: ${gateLine(gate)}\n`}`
    )
    .join("\n")
  return `## Code Review Task

You review a plan before any of it is done. Others implement its tasks tonight, one after the other, and no person can be
asked then. You change nothing.

### The Plan

${first?.constraints === undefined ? "" : `Constraints of each task:\n${first.constraints}\n\n`}${listed.length > maxTasks ? `${listed.slice(0, maxTasks)}\n(and more)` : listed}
### Instructions

1. **Look at the project** - Read what the tasks are about
2. **Contradictions** - Between tasks, criteria, constraints and the project
3. **Criteria that nobody can check** - What would a reviewer have to guess?
4. **Ask what only a person can answer** - Leave out what an implementer can find out or choose

### Output

${wordAsked(word)}

If nothing is unclear, output:

\`\`\`
APPROVED ${word}
summary: [brief summary]
\`\`\`

If there are questions, each in one line, output:

\`\`\`
REJECTED ${word}
summary: [brief summary]
issues:
- [specific issue: the task, and the question]
\`\`\`
`
}
