import * as fs from "node:fs"
import { join } from "node:path"

/** When an agent is known to have lived, by its own word: epoch milliseconds, both ends included. */
export interface Life {
  readonly pid: number
  readonly from: number
  readonly to: number
}

/** Every agent that ever lived in a world, the oldest first. */
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

/** Two that lived at once: of whatever kind, a compact session too (spec: behaviour#never). */
export const overlaps = (lives: ReadonlyArray<Life>): ReadonlyArray<readonly [Life, Life]> =>
  lives.flatMap((one, n) =>
    lives.slice(n + 1).flatMap((other) => (other.from <= one.to ? [[one, other] as const] : []))
  )
