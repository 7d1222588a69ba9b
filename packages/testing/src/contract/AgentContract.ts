import type { AgentSubject } from "./AgentSubject.ts"
import type { ContractRule } from "./ContractRule.ts"
import { launchRules } from "./LaunchRules.ts"
import { recordRules } from "./RecordRules.ts"

/**
 * Lists the rules that every adapter keeps, for session files that its real program wrote. Each is one test of any
 * runner.
 *
 * @example
 * ```ts
 * import { it } from "@effect/vitest"
 * import { HostServices } from "@souffleur/node"
 * import { agentContract, type AgentSubject } from "@souffleur/testing"
 *
 * declare const subject: AgentSubject
 *
 * it.layer(HostServices.layer)((it) => {
 *   for (const { holds, name } of agentContract(subject)) it.effect(name, () => holds)
 * })
 * ```
 */
export const agentContract = (subject: AgentSubject): ReadonlyArray<ContractRule> => [
  ...launchRules(subject),
  ...recordRules(subject)
]
