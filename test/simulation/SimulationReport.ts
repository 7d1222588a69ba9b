import type { Campaign } from "./SimulationCampaign.ts"
import { strikes } from "./Faults.ts"
import type { Play } from "./Play.ts"

/** The number of strikes that each pair is to have in a whole run. */
const enough = 100

/**
 * Reports how often each boundary was struck in each way, the rarest pair and the ends. It also says how a seed that
 * failed is seen again.
 */
export const reportOf = (
  { cycles, ends, failed, faulted, table, worlds }: Campaign,
  first: number,
  play: Play
): string => {
  const rows = Object.entries(table).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const pairs = rows.flatMap(([boundary, row]) =>
    strikes.flatMap((how, index) =>
      play.spares(boundary, how) ? [] : [{ pair: `${boundary} × ${how}`, count: row[index]! }]
    )
  )
  const rarest = pairs.toSorted((a, b) => a.count - b.count)[0]
  const seldom = pairs.filter(({ count }) => count < enough).length
  const line = (name: string, cells: ReadonlyArray<string>) =>
    `${name.padEnd(32)}${cells.map((cell) => cell.padStart(9)).join("")}`
  return [
    line("boundary", strikes),
    ...rows.map(([boundary, row]) => line(boundary, row.map(String))),
    "",
    `ends: ${[...ends]
      .toSorted((a, b) => b[1] - a[1])
      .map(([end, count]) => `${end} ${count}`)
      .join(" · ")}`,
    `${faulted} faulted ${play.cycles} of ${cycles} in ${worlds} worlds, seeds ${first} to ${first + worlds - 1}`,
    `rarest pair: ${rarest === undefined ? "none" : `${rarest.pair}, ${rarest.count} times`}`,
    `of ${pairs.length} pairs ${seldom === 0 ? `each was struck ${enough} times or more` : `${seldom} were struck less than ${enough} times`}`,
    ...failed.map(
      ({ seed, violations }) =>
        `seed ${seed}: ${[...new Set(violations)].join("; ")}: pnpm simulate ${play.flag}--seed ${seed} --cycles 1`
    ),
    `violations: ${failed.reduce((sum, { violations }) => sum + violations.length, 0)}`
  ].join("\n")
}
