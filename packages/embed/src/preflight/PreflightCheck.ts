import type { AgentCommand, Permission, ResolvedSettings } from "@souffleur/domain"
import type { Assignment, Plan } from "@souffleur/plan"
import type { SettingsDraft } from "@souffleur/process"
import { Context, type Effect } from "effect"
import { type Finding, note, passed } from "../doctor/Finding.ts"

/** One thing that a run needs, as it was before the first agent. `unknown` is never a failure. */
export interface PreflightCheck {
  readonly check: string
  readonly standing: "ok" | "not ok" | "unknown"
  readonly detail: string
  /** The command or the line of a file that mends it; `null`: there is none. */
  readonly todo: string | null
  /** True if no new run is begun so. */
  readonly refuses?: true
  /** The rules of the agent's own that mend it. */
  readonly rules?: ReadonlyArray<string>
}

/** Makes a check that went well. */
export const readyCheck = (check: string, detail: string, todo: string | null = null): PreflightCheck => ({
  check,
  standing: "ok",
  detail,
  todo
})
/** Makes a check that nothing could answer. */
export const unknownCheck = (check: string, detail: string, todo: string | null = null): PreflightCheck => ({
  check,
  standing: "unknown",
  detail,
  todo
})
/** Makes a check that failed. `refuses`: surely, so that no new run is begun. */
export const failedCheck = (
  check: string,
  detail: string,
  todo: string,
  more: Pick<PreflightCheck, "refuses" | "rules"> = {}
): PreflightCheck => ({ check, standing: "not ok", detail, todo, ...more })

/** Returns a check as `doctor` tells it. Watches work all the same. */
export const findingOf = ({ check, detail, standing, todo }: PreflightCheck): Finding =>
  standing === "ok" ? passed(check, detail) : note(check, detail, todo)

/** A run that is looked at before its first agent. */
export interface PreflightOrder {
  readonly project: string
  readonly settings: ResolvedSettings
  readonly plan: Plan
  /** True if a person trusts what the plan runs and does itself. */
  readonly trusted: boolean
  /** False if its run goes on. */
  readonly isNew: boolean
  /** The agents that it is to launch. */
  readonly cast: ReadonlyArray<{
    readonly role: Assignment["role"]
    readonly agent: string
    readonly permission: Permission
    readonly command: AgentCommand
  }>
}

/** Asks a person whether a draft of an agent's settings may be written. */
export type RulesAsk = (draft: SettingsDraft) => Effect.Effect<boolean>

/** Takes a person's word on rules that an agent lacks. By default nobody is there to be asked. */
export const RulesQuestion = Context.Reference<RulesAsk | null>("@souffleur/embed/RulesQuestion", {
  defaultValue: () => null
})
