import type { SessionMode } from "@souffleur/domain"
import { type Json, jsonOf } from "@souffleur/session"
import { compactPrompt } from "../command/CodexLaunch.ts"
import { rolloutSayings } from "./RolloutSayings.ts"

/** Returns what a turn may do, by its sandbox and by what it asks a person for. */
const modeOf = (context: Json): SessionMode => {
  const { approval_policy: asks, collaboration_mode: collaboration, sandbox_policy: sandbox } = context
  const { type } = jsonOf(sandbox)
  if (jsonOf(collaboration)["mode"] === "plan") return "plan"
  if (asks === "untrusted" || (type !== "workspace-write" && type !== "danger-full-access")) return "asks"
  return type === "danger-full-access" && asks === "never" ? "bypassPermissions" : "acceptEdits"
}

/** Makes a reader of the mode of the newest turn. A turn of souffleur that compacts has a sandbox of its own. */
export const rolloutModes = () => {
  let prompt = ""
  return (record: Json): SessionMode | undefined => {
    for (const said of rolloutSayings(record)) if (said._tag === "Prompt") prompt = said.text
    if (record["type"] !== "turn_context") return undefined
    const isOurs = prompt === compactPrompt
    prompt = ""
    return isOurs ? undefined : modeOf(jsonOf(record["payload"]))
  }
}
