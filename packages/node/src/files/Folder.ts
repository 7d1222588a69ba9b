import * as fs from "node:fs"
import { dirname } from "node:path"
import { hasCode } from "./SystemError.ts"
import { type Refusal, refusalAt } from "./TrustedFile.ts"

/**
 * Makes a folder (0700) and its missing parents, one by one. Node's recursive call never returns where an existing
 * parent takes no folder, such as `/proc`. Throws the error of the system.
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

/** Finds a parent folder that belongs to another user, who could replace our folder. */
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
 * Makes a folder for souffleur's own files, if it is missing. Returns why the folder cannot be used, or `undefined`. It
 * must belong to this user, and no other user may write to it.
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
