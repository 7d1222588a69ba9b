/**
 * Matches a record that the agent writes for itself: snapshots of prompts and requests, most of a session file's bytes.
 * The keys at its beginning identify it, in the order that the agent writes them. So it need not be parsed.
 */
const other =
  /^\{(?:"parentUuid":(?:null|"[\w-]*"),"isSidechain":(?:true|false),"attachment":\{"type":"(?!file"|queued_command")|"type":"(?!user"|assistant"|system"|attachment"))/

/** Returns whether a line begins as such a record. */
export const isOtherRecord = (line: string): boolean => other.test(line)
