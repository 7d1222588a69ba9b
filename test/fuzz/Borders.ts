import type { Border } from "./Border.ts"
import { agentCommands } from "./borders/AgentCommands.ts"
import { agentSessions } from "./borders/AgentSessions.ts"
import { args } from "./borders/Arguments.ts"
import { commsDatabases } from "./borders/CommsDatabases.ts"
import { config, environment } from "./borders/ConfigBorder.ts"
import { exports } from "./borders/Exports.ts"
import { git, gitFiles } from "./borders/GitBorder.ts"
import { growths } from "./borders/Growth.ts"
import { hookInput, hookLines } from "./borders/HooksBorder.ts"
import { hookSettings } from "./borders/HookSettingsBorder.ts"
import { hubInput } from "./borders/HubBorder.ts"
import { launchFiles } from "./borders/LaunchFiles.ts"
import { runLogs, watchLogs } from "./borders/Logs.ts"
import { mcp } from "./borders/McpBorder.ts"
import { pages } from "./borders/PageVisits.ts"
import { payloads } from "./borders/Payloads.ts"
import { pidFiles } from "./borders/PidFiles.ts"
import { plans } from "./borders/Plans.ts"
import { sessionEnds } from "./borders/SessionEnds.ts"
import { sessionFiles } from "./borders/SessionFiles.ts"
import { sessionIds } from "./borders/SessionIds.ts"
import { stateFiles } from "./borders/StateFiles.ts"
import { userPrograms } from "./borders/UserPrograms.ts"
import { verdicts } from "./borders/Verdicts.ts"

/** Every border, in the order in which they are told. */
export const borders: ReadonlyArray<Border> = [
  sessionIds,
  args,
  config,
  environment,
  plans,
  stateFiles,
  verdicts,
  agentCommands,
  sessionFiles,
  agentSessions,
  sessionEnds,
  exports,
  pidFiles,
  hookInput,
  hookLines,
  hookSettings,
  payloads,
  commsDatabases,
  mcp,
  watchLogs,
  runLogs,
  hubInput,
  pages,
  git,
  gitFiles,
  userPrograms,
  launchFiles,
  growths
]
