import { runProgram } from "@souffleur/process"
import { Effect, Result, Schema } from "effect"
import { PlanInvalid, planOf } from "./Plan.ts"
import { type Place, problemInWords } from "./PlanProblem.ts"

/** A tracker that is asked for its open issues. A label says which of GitHub's are meant. */
export type Tracker = { readonly name: "beads" } | { readonly name: "github"; readonly label: string }

/** Most issues that are asked for. */
const maxIssues = 1000
const wordsOf = (tracker: Tracker): readonly [string, ...ReadonlyArray<string>] =>
  tracker.name === "beads"
    ? ["bd", "list", "--limit", "0", "--json"]
    : ["gh", "issue", "list", "--label", tracker.label, "--limit", String(maxIssues), "--json", "number,title,body"]

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
  const { readBeads } = yield* Effect.promise(() => import("../formats/JsonForms.ts"))
  const { readGithub } = yield* Effect.promise(() => import("../formats/GithubIssues.ts"))
  const read = tracker.name === "beads" ? readBeads(json) : readGithub(json)
  if (read === undefined) return yield* invalid("it printed no list of issues")
  if (Result.isFailure(read)) return yield* invalid(read.failure)
  const reading = read.success
  const judged = planOf({ branch: "auto", finish: "leave", ...reading.source }, new Map(), tracker.name)
  // A person knows an issue by its id, and not by its place in a list.
  const named = (place: Place): Place =>
    typeof place[1] === "number" ? [reading.source.tasks[place[1]]?.id ?? "", ...place.slice(2)] : place
  if (Result.isFailure(judged)) {
    const problems = judged.failure.map(({ place, what }) => ({ place: named(place), what }))
    return yield* invalid(...problemInWords(problems, () => undefined))
  }
  return { plan: judged.success, understood: { form: reading.form, leftOut: reading.leftOut, lines: [] } }
})
