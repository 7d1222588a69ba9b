// This file does not load Effect, because a tool call waits for it.
import type { HookCall } from "@souffleur/domain"

/**
 * Field with the reason, for each event that has one. Each reason is one word of the agent's own. A name means the same
 * to each agent (spec: behaviour#hooks-of-the-agent).
 */
const kinds: Readonly<Record<string, string>> = {
  SessionStart: "source",
  SessionEnd: "reason",
  PreCompact: "trigger",
  PostCompact: "trigger",
  PreCompress: "trigger",
  StopFailure: "error",
  Notification: "notification_type",
  PermissionRequest: "tool_name"
}

/** A session id becomes the name of a file. */
const isSessionId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u.test(text) && !text.includes("..")

/** Matches one word, so that no text of a person is kept. */
const word = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/

const [quote, backslash] = ['"', "\\"]

/** Returns the index at which the string that begins at `from` ends; `-1`: the input was cut inside it. */
const closing = (json: string, from: number): number => {
  for (let at = from + 1; at < json.length; at++) {
    if (json[at] === backslash) at += 1
    else if (json[at] === quote) return at
  }
  return -1
}

/**
 * Yields the text members of a JSON object in their order, as far as the text goes. A tool's input or output comes
 * after the wanted members. It may be far larger than the part that is kept. Each character is visited once, whatever
 * the input: a tool call of the agent waits.
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

/** Returns what an event does to the holding of a session. A compaction changes nothing of it. */
const holdingOf = (event: string, kind: string): HookCall["holding"] => {
  if (event === "SessionEnd") return "ended"
  if (event === "SessionStart") return kind === "compact" ? "goes on" : "began"
  return undefined
}

/** Parses the beginning of a hook's input. `undefined`: it is no event of a session. */
export const hookCall = (input: string): HookCall | undefined => {
  const members = texts(input)
  const found = new Map<string, string>()
  /** Reads on until the member is found, and no further. */
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
