export { agentFolder, anyAgent } from "./kit/agent/AnyAgent.ts"
export { layerLoginStatus } from "./kit/agent/AskLogin.ts"
export { claudeCode } from "./claude/ClaudeCode.ts"
export { codex } from "./codex/Codex.ts"
export { copilot } from "./copilot/Copilot.ts"
export { gemini } from "./gemini/Gemini.ts"
export { openCode } from "./opencode/OpenCode.ts"
export { pi } from "./pi/Pi.ts"
export { qwen } from "./qwen/Qwen.ts"
export { fileIdentity, markOf } from "./kit/lines/FileIdentity.ts"
export { newLines } from "./kit/lines/NewLines.ts"
export { newestWrite } from "./kit/lines/NewestWrite.ts"
export { fromTheEnd, stateOf, type TailLimits, writtenAtOf } from "./kit/lines/Tail.ts"
export {
  beginsAsObject,
  freshTokens,
  isJson,
  type Json,
  jsonOf,
  numberIn,
  objectsIn,
  messageParts,
  recordOf,
  textOf,
  timeOf,
  tokensOf
} from "./kit/lines/JsonRecord.ts"
export { type Conversation, type Counts, type Frame, makeTurns, type Turns } from "./kit/export/Conversation.ts"
export { type FilesModified, makeFilesModified } from "./kit/export/FilesModified.ts"
export { type Dialect, makeExport } from "./kit/export/TranscriptExport.ts"
export { makeSaidPart } from "./kit/said/SaidPart.ts"
export { makeSessionPast } from "./kit/said/SessionPast.ts"
export { makeFollower } from "./kit/lines/Follower.ts"
export { linesSince } from "./kit/lines/Since.ts"
export { newestMode } from "./kit/lines/NewestMode.ts"
export { inHead } from "./kit/lines/Head.ts"
export { longestSet } from "./kit/settings/SetLimits.ts"
export { linesBelow } from "./kit/lines/LinesBelow.ts"
export { failureReason, reasonOfStatus, saidEnd, statuses } from "./kit/said/Failures.ts"
export { type Saying, type Sayings } from "./kit/said/Said.ts"
export { type AgentTools, saidCall, saidResult } from "./kit/said/SaidTools.ts"
export { type SessionFolder } from "./kit/agent/FindSession.ts"
export { type AgentDialect, type KnownSessions } from "./kit/agent/AgentDialect.ts"
export { type SaidFacts, saidPackage } from "./kit/agent/SaidPackage.ts"
export { errorLine, makeRecordReader, toolLine } from "./kit/agent/OutputRecords.ts"
export { identifiedBy } from "./kit/command/IdentifiedBy.ts"
export { argsWithModel, type ModelFlags } from "./kit/command/ChosenModel.ts"
export { completeCommand } from "./kit/command/CompleteCommand.ts"
export { commandBefore, hasBegun } from "./kit/command/OwnLaunch.ts"
export { ceilingFlag, permissionFlag, printFlag, promptFlag, sessionFlag } from "./kit/command/FlagMeanings.ts"
export { promptWords, readLiteral } from "./kit/command/OnePrompt.ts"
export { shellWords, wordsOfShell } from "./kit/command/ShellWords.ts"
export { wordSet } from "./kit/command/WordSet.ts"
export { maySubcommand, withoutCeiling } from "./kit/command/WithoutCeiling.ts"
export { argumentsOfProgram } from "./kit/command/CommandFront.ts"
export { type FlagMeaning, type FlagTable, type Meaning, readWords, type WordsRead } from "./kit/command/FlagTable.ts"
export { blocksOf, makeStreamJsonReader } from "./kit/agent/StreamJson.ts"
export { makeSettingsFolder, readSettingsFile, writeSettingsFile } from "./kit/settings/SettingsFile.ts"
export { settingsTree, withElement } from "./kit/settings/SettingsText.ts"
export { hasForeignHook } from "./kit/hooks/ForeignHook.ts"
export { type HookForm } from "./kit/hooks/HookSettings.ts"
export { type HookTable, settingsHooks } from "./kit/hooks/SettingsHooks.ts"
