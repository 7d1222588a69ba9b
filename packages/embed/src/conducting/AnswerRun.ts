import { dispatchRun, loadPlan, type Run, type RunIntent, termsOf } from "@souffleur/plan"
import { Effect, Runtime, Schema } from "effect"
import type { PlanAnswer } from "../SouffleurOptions.ts"
import { Parts } from "../world/Parts.ts"
import { findPlan, type PlanName } from "./FindPlan.ts"
import { refusePrograms } from "./PlanPrograms.ts"

/** Characters of guidance, which goes into prompts. */
const maxGuidanceLength = 4000

/** The guidance of an answer is empty or too long. `message` says which. */
export class GuidanceUnfit extends Schema.TaggedError<GuidanceUnfit>()("GuidanceUnfit", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

const tooLong = (text: string) =>
  new GuidanceUnfit({ message: `${text.length} characters of guidance, more than ${maxGuidanceLength}` })

/** Returns what an answer means for a run. Fails with `GuidanceUnfit`. */
const intentOf = (said: Exclude<PlanAnswer, { readonly plan: unknown }>): Effect.Effect<RunIntent, GuidanceUnfit> => {
  if ("allow" in said) return Effect.succeed({ _tag: said.allow === "red" ? "AllowRed" : "AllowAgain" })
  if ("hold" in said) return Effect.succeed({ _tag: "Hold" })
  if ("redo" in said) {
    const text = (said.guidance ?? "").trim()
    return text.length > maxGuidanceLength
      ? Effect.fail(tooLong(text))
      : Effect.succeed({ _tag: "Redo", taskId: said.redo, text })
  }
  if ("wait" in said) return Effect.succeed({ _tag: "EndWait" })
  if ("finishing" in said) return Effect.succeed({ _tag: "AnswerFinishing", answer: said.finishing })
  if ("answer" in said) {
    const { answer, task: taskId } = said
    return Effect.succeed({ _tag: "Answer", taskId, answer, text: "", revert: "revert" in said })
  }
  const text = said.guidance.trim()
  if (text === "") return Effect.fail(new GuidanceUnfit({ message: "the guidance is empty" }))
  return text.length > maxGuidanceLength
    ? Effect.fail(tooLong(text))
    : Effect.succeed({ _tag: "Answer", taskId: said.task, answer: "guidance", text })
}

/** Reads the plan of a run, as a person takes it. */
const planIntent = Effect.fnUntraced(function* ({ plan: path, project }: Run) {
  const loaded = yield* loadPlan(path, project)
  const { digest, plan } = loaded
  // A word for tasks is none for programs that nobody was shown.
  yield* refusePrograms(loaded, (yield* (yield* Parts).settings(project)).stateDir)
  return { _tag: "RevisePlan", digest, ...(yield* termsOf(plan)) } as const
})

/**
 * Gives a run a person's answer. Fails with `Refused` where no answer to it is awaited, with `PlanInvalid` where the
 * plan that is to be taken cannot be conducted, and with `ProgramsUntrusted` where its programs are not trusted.
 */
export const answerRun = Effect.fn("answerRun")(function* (name: PlanName, answer: PlanAnswer) {
  const intent = "plan" in answer ? undefined : yield* intentOf(answer)
  const { id, run } = yield* findPlan(name)
  return yield* dispatchRun(id, intent ?? (yield* planIntent(run)), { _tag: "Operator" })
})
