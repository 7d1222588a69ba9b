import { type AnswerForm, LaunchFailed, Settings } from "@souffleur/domain"
import { replaceDurably } from "@souffleur/process"
import { Effect, Path } from "effect"
import type { Assignment } from "../run/Run.ts"
import { assignedAgent } from "./AssignedAgent.ts"
import { verdictWords } from "./Verdict.ts"

const text = (description: string) => ({ type: "string", description })
const list = (description: string) => ({ type: "array", items: { type: "string" }, description })

/** The fields behind the word. A service may want each of them in each answer, so that one may be empty. */
const fields = {
  implementer: {
    commits: list("The hashes of your commits; empty where you are blocked"),
    files_changed: list("The files that they change"),
    test_file: text("The path of the test file; empty: none"),
    reason: text("The blocker that you cannot resolve; empty: there is none")
  },
  reviewer: {
    summary: text("A brief summary of what you found"),
    blocking: list("What must be changed, or each question about a plan; empty where you approve"),
    minor: list("Minor findings"),
    suggestions: list("What would mend the blocking findings")
  }
} as const

/** What an agent says in a message that is not its last, where each must be an answer by the schema. */
const notYet = "NOT_YET"

/** Returns the JSON Schema of a role's verdict. It has no secret: every user of the machine can read it. */
export const verdictSchema = (role: keyof typeof fields, when: "at the end" | "always"): string => {
  const properties = {
    verdict: {
      type: "string",
      enum: [...verdictWords[role], ...(when === "always" ? [notYet] : [])],
      description: when === "always" ? `${notYet} in every message but your last one` : "Your verdict"
    },
    word: text("The word that your prompt gave you for this answer"),
    ...fields[role]
  }
  return JSON.stringify({ type: "object", additionalProperties: false, properties, required: Object.keys(properties) })
}

/** Asks for an answer by the schema, with the word of the launch. */
export const formAsked = (word: string): string => `
### Answer by Schema

Give this answer by the JSON schema that you have for it, and not as text: \`verdict\` is its first word, and \`word\` is \`${word}\`.
`

/**
 * Makes the form of an assignment's verdict, for an agent that takes one; `undefined`: it does not. Fails with
 * `LaunchFailed` where its file cannot be written.
 */
export const verdictForm = Effect.fn("verdictForm")(function* (assignment: Assignment) {
  const { role } = assignment
  const { answersInForm } = yield* assignedAgent(assignment)
  if (answersInForm === undefined || role === "finisher") return undefined
  const path = yield* Path.Path
  const schema = verdictSchema(role, answersInForm)
  // The agents of two runs read it at any time after their launch, and each by its own rule.
  const file = path.join((yield* Settings).stateDir, `verdict-${role}-${answersInForm.replaceAll(" ", "-")}.json`)
  yield* Effect.mapError(replaceDurably(file, schema), ({ message }) => new LaunchFailed({ message }))
  return { schema, file } satisfies AnswerForm
})
