import { agentMutants } from "./AgentMutants.ts"
import { boundsMutants } from "./BoundsMutants.ts"
import { ceilingMutants } from "./CeilingMutants.ts"
import { commandMutants } from "./CommandMutants.ts"
import { conductorMutants } from "./ConductorMutants.ts"
import { domainMutants } from "./DomainMutants.ts"
import { domainRuleMutants } from "./DomainRuleMutants.ts"
import { fileMutants } from "./FileMutants.ts"
import { guardianMutants } from "./GuardianMutants.ts"
import { nodeMutants } from "./NodeMutants.ts"
import { nodeRuleMutants } from "./NodeRuleMutants.ts"
import { plainMutants } from "./PlainMutants.ts"
import { recoveryMutants } from "./RecoveryMutants.ts"
import { supervisorMutants } from "./SupervisorMutants.ts"
import { watcherMutants } from "./WatcherMutants.ts"
import { watcherRuleMutants } from "./WatcherRuleMutants.ts"
import type { Mutant } from "./Mutant.ts"

/** Every line of defence that is taken away in turn, in the order in which they are tried. */
export const allMutants: ReadonlyArray<Mutant> = [
  ...domainMutants,
  ...domainRuleMutants,
  ...watcherMutants,
  ...watcherRuleMutants,
  ...recoveryMutants,
  ...supervisorMutants,
  ...guardianMutants,
  ...agentMutants,
  ...boundsMutants,
  ...ceilingMutants,
  ...conductorMutants,
  ...nodeMutants,
  ...nodeRuleMutants,
  ...plainMutants,
  ...fileMutants,
  ...commandMutants
]
