/** Returns whether an error of Node has one of these codes. */
export const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  error instanceof Error && "code" in error && codes.includes(String(error.code))

/** Returns whether an error of Node means that a disk, or the user's share of it, is full. */
export const meansFull = (error: unknown): boolean => hasCode(error, "ENOSPC", "EDQUOT")

/** Tells a person of a full disk, and what to do. */
export const fullDisk = "its disk is full: make room on it"

/**
 * Returns whether an error means that there is no such process. Only these two codes do: running out of descriptors
 * must never look like a death.
 */
export const meansGone = (error: unknown): boolean => hasCode(error, "ENOENT", "ESRCH")
