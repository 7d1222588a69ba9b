import type { ProcessIdentity } from "@souffleur/domain"
import type { ProcessSource } from "./ProcessSource.ts"
import { proc } from "./Proc.ts"
import { macOs, psSource } from "./Ps.ts"

/** Returns the source of a platform, which has Node's name. `undefined`: no source is built for it. */
export const sourceOn = (platform: string): ProcessSource | undefined => {
  switch (platform) {
    case "linux":
      return proc
    case "darwin":
      return psSource(macOs)
    default:
      return undefined
  }
}

/** The source of this machine. `undefined`: no source is built for its platform. */
export const hostSource = sourceOn(process.platform)

/** Returns the identity of this process. `undefined`: this system cannot tell it. */
export const ownIdentity = (): ProcessIdentity | undefined => {
  const own = hostSource?.stat(process.pid)
  return own && { pid: own.pid, startTime: own.startTime, bootId: hostSource!.bootId() }
}
