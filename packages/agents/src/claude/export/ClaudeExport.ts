import { makeExport } from "../../kit/export/TranscriptExport.ts"
import { sessionIdOf } from "../session/SessionFile.ts"
import { makeConversation } from "./ClaudeConversation.ts"

/**
 * Matches a record that the agent writes for itself: snapshots of prompts and requests, most of a session file's bytes.
 * The keys at its beginning identify it, in the order that the agent writes them. So it need not be parsed.
 */
const other =
  /^\{(?:"parentUuid":(?:null|"[\w-]*"),"isSidechain":(?:true|false),"attachment":\{"type":"(?!file"|queued_command")|"type":"(?!user"|assistant"|system"|attachment"))/

/** Returns whether a line begins as such a record. */
export const isOther = (line: string): boolean => other.test(line)

/** Streams a session file of Claude Code to Markdown. */
export const exportTranscript = makeExport({
  agent: "Claude Code",
  sessionIdOf,
  isOther,
  conversation: makeConversation
})
