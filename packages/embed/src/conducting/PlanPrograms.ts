import { digestOf } from "@souffleur/domain"
import { gateOfPlan, type LoadedPlan, trustLines } from "@souffleur/plan"
import { Effect, Equal, Runtime, Schema } from "effect"
import type { PlanOrder } from "../SouffleurOptions.ts"
import { Parts } from "../world/Parts.ts"
import { isPlanTrusted, keepPlanTrust } from "../world/TrustStore.ts"
import { namedPlan } from "./NamedPlan.ts"

/** A plan has programs that no person trusts yet: they would run outside of any agent's permission. */
export class ProgramsUntrusted extends Schema.TaggedError<ProgramsUntrusted>()("ProgramsUntrusted", {
  plan: Schema.String,
  /** Each with its arguments, in the order in which they run. */
  programs: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.plan} has programs that are not trusted yet: ${this.programs.join("; ")}`
  }
}

/** Returns the digest of a plan's gates and its acts outside; `undefined`: it has none. */
const digestOfPrograms = Effect.fnUntraced(function* ({ plan }: LoadedPlan) {
  const gate = gateOfPlan(plan)
  if (plan.finish._tag === "PullRequest") return yield* digestOf(JSON.stringify([gate ?? null, plan.finish]))
  return gate === undefined ? undefined : yield* digestOf(JSON.stringify(gate))
})

/** Returns whether a person trusts what a plan runs itself, or it runs nothing. */
export const programsTrusted = Effect.fn("programsTrusted")(function* (loaded: LoadedPlan, stateDir: string) {
  const digest = yield* digestOfPrograms(loaded)
  return digest === undefined || (yield* isPlanTrusted(stateDir, loaded.path, digest))
})

/** Fails with `ProgramsUntrusted` where a plan would run programs that no person trusts (spec: behaviour#trust). */
export const refusePrograms = Effect.fn("refusePrograms")(function* (loaded: LoadedPlan, stateDir: string) {
  const { path, plan } = loaded
  if (yield* programsTrusted(loaded, stateDir)) return
  return yield* new ProgramsUntrusted({ plan: path, programs: trustLines(plan) })
})

/**
 * Trusts the programs of a plan, each as a line, by the word of a person who has read them. Fails with
 * `ProgramsUntrusted` where its file has others by now.
 */
export const trustPrograms = Effect.fn("trustPrograms")(function* (order: PlanOrder, read: ReadonlyArray<string>) {
  const { settings } = yield* Parts
  const { loaded } = yield* namedPlan(order)
  const programs = trustLines(loaded.plan)
  if (!Equal.equals(programs, read)) return yield* new ProgramsUntrusted({ plan: loaded.path, programs })
  const digest = yield* digestOfPrograms(loaded)
  if (digest !== undefined) yield* keepPlanTrust((yield* settings(order.project)).stateDir, loaded.path, digest)
})
