import { agentMutants } from "./AgentMutants.ts"
import { boundsMutants } from "./BoundsMutants.ts"
import { ceilingMutants } from "./CeilingMutants.ts"
import { codexMutants } from "./CodexMutants.ts"
import { copilotMutants } from "./CopilotMutants.ts"
import { geminiMutants } from "./GeminiMutants.ts"
import { openCodeMutants } from "./OpenCodeMutants.ts"
import { qwenMutants } from "./QwenMutants.ts"
import { commandMutants } from "./CommandMutants.ts"
import { commsRuleMutants } from "./CommsRuleMutants.ts"
import { conductorMutants } from "./PlanMutants.ts"
import { domainMutants } from "./DomainMutants.ts"
import { domainRuleMutants } from "./DomainRuleMutants.ts"
import { drawnMutants } from "./DrawnMutants.ts"
import { exportMutants } from "./ExportMutants.ts"
import { fileMutants } from "./FileMutants.ts"
import { fleetMutants } from "./FleetMutants.ts"
import { fleetWordMutants } from "./FleetWordMutants.ts"
import { guardianMutants } from "./GuardianMutants.ts"
import { handoverMutants } from "./HandoverMutants.ts"
import { holdMutants } from "./HoldMutants.ts"
import { nodeMutants } from "./NodeMutants.ts"
import { nodeRuleMutants } from "./NodeRuleMutants.ts"
import { noticeMutants } from "./NoticeMutants.ts"
import { pageMutants } from "./PageMutants.ts"
import { topMutants } from "./TopMutants.ts"
import { traceMutants } from "./TraceMutants.ts"
import { plainMutants } from "./PlainMutants.ts"
import { recoveryMutants } from "./RecoveryMutants.ts"
import { refusalMutants } from "./RefusalMutants.ts"
import { reportMutants } from "./ReportMutants.ts"
import { runMutants } from "./RunMutants.ts"
import { screenMutants } from "./ScreenMutants.ts"
import { sessionMutants } from "./SessionMutants.ts"
import { snapshotMutants } from "./SnapshotMutants.ts"
import { speakerMutants } from "./SpeakerMutants.ts"
import { supervisorMutants } from "./SupervisorMutants.ts"
import { supervisorRuleMutants } from "./SupervisorRuleMutants.ts"
import { toldMutants } from "./ToldMutants.ts"
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
  ...supervisorRuleMutants,
  ...guardianMutants,
  ...agentMutants,
  ...codexMutants,
  ...qwenMutants,
  ...copilotMutants,
  ...geminiMutants,
  ...openCodeMutants,
  ...handoverMutants,
  ...exportMutants,
  ...screenMutants,
  ...sessionMutants,
  ...commsRuleMutants,
  ...boundsMutants,
  ...ceilingMutants,
  ...holdMutants,
  ...conductorMutants,
  ...runMutants,
  ...reportMutants,
  ...nodeMutants,
  ...nodeRuleMutants,
  ...noticeMutants,
  ...pageMutants,
  ...topMutants,
  ...fleetMutants,
  ...fleetWordMutants,
  ...traceMutants,
  ...plainMutants,
  ...fileMutants,
  ...commandMutants,
  ...refusalMutants,
  ...drawnMutants,
  ...snapshotMutants,
  ...speakerMutants,
  ...toldMutants
]
