import type { SessionMode } from "@souffleur/domain"
import type { Json } from "../../kit/lines/JsonRecord.ts"
import { isMain } from "./Records.ts"

/** The modes of `--permission-mode`. Of its own accord `auto` does no more than its own judge lets pass. */
const modes: ReadonlyMap<unknown, SessionMode> = new Map([
  ["plan", "plan"],
  ["default", "asks"],
  ["manual", "asks"],
  ["dontAsk", "asks"],
  ["acceptEdits", "acceptEdits"],
  ["auto", "acceptEdits"],
  ["bypassPermissions", "bypassPermissions"]
])

/**
 * Returns the permission mode that a record tells: each change has a record of its own, and each prompt names it. An
 * unknown mode asks. `undefined`: it tells none.
 */
export const modeIn = (record: Json): SessionMode | undefined => {
  const { permissionMode, type } = record
  if (typeof permissionMode !== "string" || !isMain(record) || (type !== "permission-mode" && type !== "user"))
    return undefined
  return modes.get(permissionMode) ?? "asks"
}
