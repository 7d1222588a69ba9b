import type { SessionMode } from "@souffleur/domain"
import { type Json, jsonOf } from "../../kit/lines/JsonRecord.ts"
import { codexCompactPrompt } from "../command/CodexLaunch.ts"
import { rolloutSayings } from "./RolloutSayings.ts"

/** Returns what a turn may do, by its sandbox and by what it asks a person for. */
const modeOf = (context: Json): SessionMode => {
  const { approval_policy: asks, collaboration_mode: collaboration, sandbox_policy: sandbox } = context
  const { type } = jsonOf(sandbox)
  if (jsonOf(collaboration)["mode"] === "plan") return "plan"
  if (asks === "untrusted" || (type !== "workspace-write" && type !== "danger-full-access")) return "asks"
  return type === "danger-full-access" && asks === "never" ? "bypassPermissions" : "acceptEdits"
}

/**
 * Makes a reader of the mode of the newest turn, from the newest record on. A turn of souffleur that compacts has a
 * sandbox of its own. A compaction writes the mode of its turn anew, behind the prompt of that turn or before it.
 */
export const rolloutModes = () => {
  let prompt = ""
  /** A mode behind whose record no prompt was found. */
  let open: { readonly mode: SessionMode; readonly compacted: boolean } | undefined
  const closed = (isOurs: boolean): SessionMode | undefined => {
    const mode = open?.mode
    open = undefined
    return isOurs ? undefined : mode
  }
  return (record: Json): SessionMode | undefined => {
    const { type } = record
    for (const said of rolloutSayings(record)) if (said._tag === "Prompt") prompt = said.text
    if (open !== undefined) {
      if (prompt !== "") return closed(prompt === codexCompactPrompt)
      if (type === "compacted") open = { ...open, compacted: true }
      const begins = type === "session_meta" || jsonOf(record["payload"])["type"] === "task_started"
      return begins ? closed(open.compacted) : undefined
    }
    if (type !== "turn_context") return undefined
    const [isAsked, isOurs] = [prompt !== "", prompt === codexCompactPrompt]
    prompt = ""
    const mode = modeOf(jsonOf(record["payload"]))
    if (isAsked) return isOurs ? undefined : mode
    open = { mode, compacted: false }
    return undefined
  }
}
