export { fileIdentity, markOf } from "./lines/FileIdentity.ts"
export { newLines } from "./lines/NewLines.ts"
export { newestWrite } from "./lines/NewestWrite.ts"
export { fromTheEnd, stateOf, type TailLimits, writtenAtOf } from "./lines/Tail.ts"
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
} from "./lines/JsonRecord.ts"
export { type Conversation, type Counts, type Frame, makeTurns, type Turns } from "./export/Conversation.ts"
export { type FilesModified, makeFilesModified } from "./export/FilesModified.ts"
export { type Dialect, makeExport } from "./export/TranscriptExport.ts"
export { makeSaidPart } from "./said/SaidPart.ts"
export { makeSessionPast } from "./said/SessionPast.ts"
export { makeFollower } from "./lines/Follower.ts"
export { linesSince } from "./lines/Since.ts"
export { newestMode } from "./lines/NewestMode.ts"
export { inHead } from "./lines/Head.ts"
export { longestSet } from "./settings/SetLimits.ts"
export { linesBelow } from "./lines/LinesBelow.ts"
export { failureReason, reasonOfStatus, saidEnd, statuses } from "./said/Failures.ts"
export { type Saying, type Sayings } from "./said/Said.ts"
export { type AgentTools, saidCall, saidResult } from "./said/SaidTools.ts"
export { type SessionFolder } from "./agent/FindSession.ts"
export { type AgentDialect, type KnownSessions } from "./agent/AgentDialect.ts"
export { type SaidFacts, saidPackage } from "./agent/SaidPackage.ts"
export { errorLine, makeRecordReader, toolLine } from "./agent/OutputRecords.ts"
export { identifiedBy } from "./command/IdentifiedBy.ts"
export { argsWithModel, type ModelFlags } from "./command/ChosenModel.ts"
export { completeCommand } from "./command/CompleteCommand.ts"
export { commandBefore, hasBegun } from "./command/OwnLaunch.ts"
export { ceilingFlag, permissionFlag, printFlag, promptFlag, sessionFlag } from "./command/FlagMeanings.ts"
export { promptWords, readLiteral } from "./command/OnePrompt.ts"
export { shellWords, wordsOfShell } from "./command/ShellWords.ts"
export { wordSet } from "./command/WordSet.ts"
export { maySubcommand, withoutCeiling } from "./command/WithoutCeiling.ts"
export { argumentsOfProgram } from "./command/RunsProgram.ts"
export { type FlagMeaning, type FlagTable, type Meaning, readWords, type WordsRead } from "./command/FlagTable.ts"
export { blocksOf, makeStreamJsonReader } from "./agent/StreamJson.ts"
export { makeSettingsFolder, readSettingsFile, writeSettingsFile } from "./settings/SettingsFile.ts"
export { settingsTree, withElement } from "./settings/SettingsText.ts"
export { hasForeignHook } from "./hooks/ForeignHook.ts"
export { type HookForm } from "./hooks/HookSettings.ts"
export { type HookTable, settingsHooks } from "./hooks/SettingsHooks.ts"
