import * as fs from "node:fs"
import { dirname } from "node:path"
import { hasCode } from "./Proc.ts"

/**
 * A folder (0700) and those above it, each where it is not there. One by one: Node's own way to make them all never returns
 * where a folder that is there takes no other, such as `/proc`. Throws what the system says.
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
