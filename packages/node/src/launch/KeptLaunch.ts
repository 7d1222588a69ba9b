import { createHash } from "node:crypto"
import { join } from "node:path"
import { encodeLaunch, isLaunchId, type Launch, readLaunch } from "./LaunchFile.ts"

/** Returns the SHA-256 of a text, hex. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Returns the path of the copy of a launch file that no launcher reads. */
export const keptPath = (stateDir: string, id: string): string => join(stateDir, "launches", `${id}.kept`)

/** Reads the copy of a launch. `undefined`: it is missing, damaged, or another one than the digest of the log says. */
export const keptLaunch = (stateDir: string, id: string, digest: string): Launch | undefined => {
  const launch = isLaunchId(id) ? readLaunch(keptPath(stateDir, id), id) : undefined
  return launch !== undefined && sha256(encodeLaunch(launch)) === digest ? launch : undefined
}
