import { runProgram } from "@souffleur/process"
import { Effect, Result, Schema } from "effect"
import { type Plan, PlanInvalid, planOf } from "./Plan.ts"
import { problemInWords } from "./PlanProblem.ts"

/** Returns a plan as YAML that is read as the same plan. */
export const planText = Effect.fn("planText")(function* (plan: Plan) {
  const { writePlan } = yield* Effect.promise(() => import("../formats/WritePlan.ts"))
  return writePlan(plan)
})

/** A tracker that is asked for its open issues. A label says which of GitHub's are meant. */
export type Tracker = { readonly name: "beads" } | { readonly name: "github"; readonly label: string }

const most = 1000
const wordsOf = (tracker: Tracker): readonly [string, ...ReadonlyArray<string>] =>
  tracker.name === "beads"
    ? ["bd", "list", "--json"]
    : ["gh", "issue", "list", "--label", tracker.label, "--limit", String(most), "--json", "number,title,body"]

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/**
 * Asks a tracker by its own program, in a folder, for the plan that its issues are. Strangers may have written them, so
 * nothing conducts this plan before a person has read it in a file. Fails with `PlanInvalid`.
 */
export const askTracker = Effect.fn("askTracker")(function* (
  tracker: Tracker,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>
) {
  const [command, ...args] = wordsOf(tracker)
  const invalid = (...problems: ReadonlyArray<string>) =>
    new PlanInvalid({ path: [command, ...args].join(" "), problems })
  const printed = yield* runProgram({
    command,
    args,
    cwd: folder,
    environment,
    stdin: "",
    within: "1 minute",
    atMost: 16_000_000,
    heard: true
  }).pipe(Effect.mapError(({ message }) => invalid(message)))
  const json = yield* Effect.mapError(Effect.fromResult(decodeJson(printed)), () => invalid("it printed no JSON"))
  const { trackedReading } = yield* Effect.promise(() => import("../formats/Trackers.ts"))
  const reading = trackedReading(json)
  if (reading === undefined) return yield* invalid("it names no issue")
  const judged = planOf(reading.source, new Map(), tracker.name)
  if (Result.isFailure(judged)) return yield* invalid(...problemInWords(judged.failure, () => undefined))
  return { plan: judged.success, understood: { form: reading.form, leftOut: reading.leftOut, lines: [] } }
})
