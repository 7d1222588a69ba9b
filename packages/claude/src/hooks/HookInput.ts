// Nothing here loads Effect: a tool call waits for it.
import type { HookCall, HookReader } from "@souffleur/domain"
import { isSessionId } from "../session/SessionId.ts"

/**
 * The field that says why, of each event that has one; each is one word of the agent's own (spec: claude-code#hooks).
 */
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

const [quote, backslash] = ['"', "\\"]

/** Where the string that begins at `from` ends; `-1` where the input was cut inside it. */
const closing = (json: string, from: number): number => {
  for (let at = from + 1; at < json.length; at++) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return -1
}

/**
 * The text members of a JSON object in their order, as far as the text goes: a tool's input or output may be far larger
 * than what is kept of it, and comes after what is looked for. Each character is looked at once, whatever is written: a
 * tool call of the agent waits.
 */
const texts = function* (json: string): Generator<readonly [key: string, text: string]> {
  if (!json.trimStart().startsWith("{")) return
  let [depth, key, before] = [0, "", ""]
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!
    if (sign === quote) {
      const end = closing(json, at)
      if (end === -1) return
      if (depth === 1 && before === ":") yield [key, json.slice(at, end + 1)]
      else if (depth === 1) key = json.slice(at, end + 1)
      at = end
    } else if (sign === "{" || sign === "[") depth += 1
    else if (sign === "}" || sign === "]") depth -= 1
    else if (sign !== ":" && sign !== ",") continue
    before = sign
  }
}

/** What an event does to the holding of a session: after a compaction it goes on as before. */
const holdingOf = (event: string, kind: string): HookCall["holding"] => {
  if (event === "SessionEnd") return "ended"
  if (event === "SessionStart") return kind === "compact" ? "goes on" : "began"
  return undefined
}

/** What the beginning of a hook's input says; `undefined` where that is no event of a session. */
export const hookCall = (input: string): HookCall | undefined => {
  const members = texts(input)
  const found = new Map<string, string>()
  /** Read on as far as is needed for it, and no further. */
  const value = (name: string): string => {
    const key = JSON.stringify(name)
    while (!found.has(key)) {
      const next = members.next()
      if (next.done === true) break
      found.set(...next.value)
    }
    try {
      return String(JSON.parse(found.get(key) ?? '""'))
    } catch {
      return ""
    }
  }
  const [event, sessionId] = [value("hook_event_name"), value("session_id")]
  if (!word.test(event) || !isSessionId(sessionId)) return undefined
  const why = Object.hasOwn(kinds, event) ? kinds[event] : undefined
  const kind = why === undefined ? "" : value(why)
  const holding = holdingOf(event, kind)
  return { event, sessionId, ...(word.test(kind) ? { kind } : {}), ...(holding === undefined ? {} : { holding }) }
}

/** The agent's process, as its environment names it to tools and hooks. */
export const agentPid = (variables: Readonly<Record<string, string | undefined>>): number | undefined => {
  const told = variables["CLAUDE_PID"] ?? ""
  return /^[1-9][0-9]{0,6}$/u.test(told) ? Number(told) : undefined
}

/** How the hooks of Claude Code are read. */
export const hookReader: HookReader = { call: hookCall, pid: agentPid }
