import * as fs from "node:fs"
import { dirname } from "node:path"
import { hasCode } from "../processes/Proc.ts"
import { type Refusal, refusalAt } from "./TrustedFile.ts"

/**
 * A folder (0700) and those above it, each where it is not there. One by one: Node's own way to make them all never
 * returns where a folder that is there takes no other, such as `/proc`. Throws what the system says.
 */
export const makeFolder = (path: string): void => {
  if (fs.existsSync(path)) return
  makeFolder(dirname(path))
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  }
}

/** A folder above one of ours that is another user's: that one could put another in its place. */
const strangeAbove = (path: string, uid: number): Refusal | undefined => {
  for (let above = dirname(path); ; above = dirname(above)) {
    const found = fs.statSync(above, { throwIfNoEntry: false })
    if (found !== undefined && found.uid !== uid && found.uid !== 0)
      return {
        problem: `${above} belongs to another user (uid ${found.uid}, this is ${uid}): run as that user, or with a HOME of your own (sudo -H, never sudo -E), or set SOUFFLEUR_STATE_DIR`,
        missing: false
      }
    if (above === dirname(above)) return undefined
  }
}

/**
 * Makes a folder for souffleur's own files, where it is not there. Why it cannot be used, where it is not this user's,
 * and nobody else's to write.
 */
export const ownFolder = (path: string): Refusal | undefined => {
  try {
    const strange = strangeAbove(path, process.getuid?.() ?? 0)
    if (strange !== undefined) return strange
    makeFolder(path)
  } catch (error) {
    return {
      problem: `it cannot be made (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`,
      missing: false
    }
  }
  return refusalAt(path, { folder: true, own: true })
}
