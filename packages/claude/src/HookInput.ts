import { isSessionId } from "./SessionId.ts"

/** What one call of a hook says, without a word of the conversation. Nothing here loads Effect: a tool call waits for it. */
export interface HookCall {
  readonly event: string
  readonly sessionId: string
  readonly kind?: string
}

/** The field that says why, of each event that has one; each is one word of the agent's own (claude-code.md, hooks). */
const kinds: Readonly<Record<string, string>> = {
  SessionStart: "source",
  SessionEnd: "reason",
  PreCompact: "trigger",
  PostCompact: "trigger",
  StopFailure: "error",
  Notification: "notification_type",
  PermissionRequest: "tool_name"
}

/** One word: what somebody wrote could be none. */
const word = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/

/**
 * The text members of a JSON object, as far as the text goes: a tool's input or output may be far larger than what is kept of
 * it, and comes after what is looked for.
 */
const texts = (json: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  if (!json.trimStart().startsWith("{")) return found
  let [depth, key, before] = [0, "", ""]
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]/gs)) {
    if (token === "{" || token === "[") depth += 1
    else if (token === "}" || token === "]") depth -= 1
    else if (token.startsWith('"') && depth === 1) {
      if (before === ":") found.set(key, token)
      else key = token
    }
    before = token
  }
  return found
}

/** What the beginning of a hook's input says; `undefined` where that is no event of a session. */
export const hookCall = (input: string): HookCall | undefined => {
  const members = texts(input)
  const value = (name: string): string => {
    try {
      return String(JSON.parse(members.get(`"${name}"`) ?? '""'))
    } catch {
      return ""
    }
  }
  const [event, sessionId] = [value("hook_event_name"), value("session_id")]
  if (!word.test(event) || !isSessionId(sessionId)) return undefined
  const why = Object.hasOwn(kinds, event) ? kinds[event] : undefined
  const kind = why === undefined ? "" : value(why)
  return word.test(kind) ? { event, sessionId, kind } : { event, sessionId }
}
