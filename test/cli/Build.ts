import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The command as it is published, in a folder of its own: what users run, and it starts faster than its sources. */
export const build = () => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur-built-"))
  execFileSync(process.execPath, [fileURLToPath(new URL("../../packages/cli/build.ts", import.meta.url)), folder])
  return { bundle: join(folder, "souffleur.js"), remove: () => fs.rmSync(folder, { recursive: true, force: true }) }
}
