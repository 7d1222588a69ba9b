import type { Owner } from "../port/Claims.ts"
import type { Watch } from "../watch/Watch.ts"
import { attempts } from "./ExitDecider.ts"

/** Everything that the service of all watches knows of a watch before it starts a souffleur for it. */
export interface KeepSight {
  /** The owner is provably dead. */
  readonly dead: boolean
  /** A guardian of the watch lives. */
  readonly guarded: boolean
  /** The starts in a row under this fence that did not come to own the watch. */
  readonly failedStarts: number
  /** The owner that this process would be. */
  readonly self: Owner
}

/**
 * Why no souffleur is started for a watch. `left`: a person ended it. `guarded`: a guardian brings it back. `gave up`:
 * it died too often. `never came`: no started souffleur came to own the watch.
 */
export type LeftAlone = "left" | "guarded" | "gave up" | "never came"

/** Returns whether a process ended together with an earlier boot of this very machine. */
const isOfEarlierBoot = (owner: Owner, self: Owner): boolean =>
  self.machine !== null &&
  owner.machine === self.machine &&
  owner.host === self.host &&
  owner.process.bootId !== self.process.bootId

/**
 * Says why the service of all watches starts no souffleur for a watch. `undefined`: it starts one
 * (spec: behaviour#service). A souffleur that left before the machine was rebooted is started again, because the reboot
 * may have ended it.
 */
export const leftAlone = (
  { fence, gaveUp, left }: Pick<Watch, "fence" | "gaveUp" | "left">,
  { dead, failedStarts, guarded, self }: KeepSight
): LeftAlone | undefined => {
  if (left !== undefined && !isOfEarlierBoot(left, self)) return "left"
  if (dead && guarded) return "guarded"
  if (dead && fence === gaveUp) return "gave up"
  return failedStarts >= attempts ? "never came" : undefined
}
