import { Effect } from "effect"
import { statfs } from "node:fs/promises"

/**
 * Returns the bytes that this user may still write on the disk of a path (statvfs(3)). `undefined`: it has no path, or
 * no such number.
 */
export const freeSpace = (path: string): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    statfs(path).then(
      ({ bavail, blocks, bsize }) => (blocks === 0 ? undefined : bavail * bsize),
      () => undefined
    )
  )
