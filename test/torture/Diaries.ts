import * as fs from "node:fs"
import { join } from "node:path"

/** The known life of an agent by its own word: epoch milliseconds, both ends included. */
export interface Life {
  readonly pid: number
  readonly from: number
  readonly to: number
}

/** Reads every agent that ever lived in a world, the oldest first. */
export const livesIn = (folder: string): ReadonlyArray<Life> =>
  fs
    .readdirSync(folder)
    .map((name) => {
      // A line that was not finished when its writer was killed says nothing.
      const times = fs.readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1).map(Number)
      return { pid: Number.parseInt(name, 10), from: times[0] ?? 0, to: times.at(-1) ?? 0 }
    })
    .filter(({ from }) => from > 0)
    .toSorted((a, b) => a.from - b.from)

/**
 * Finds pairs of agents that lived at once. Agents of every kind count, a compact session too (spec: behaviour#never).
 */
export const overlaps = (lives: ReadonlyArray<Life>): ReadonlyArray<readonly [Life, Life]> =>
  lives.flatMap((one, n) =>
    lives.slice(n + 1).flatMap((other) => (other.from <= one.to ? [[one, other] as const] : []))
  )
