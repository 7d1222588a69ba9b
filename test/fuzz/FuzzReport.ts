import type { Tally } from "./FuzzCampaign.ts"
import { type Finding, sameTrouble } from "./FuzzFinding.ts"

const columns = ["inputs", "checks", "uncaught", "broken", "slow", "hangs", "shells"] as const
const kinds = ["uncaught", "broken", "slow", "hang", "shell"] as const

const cellsOf = ({ checks, findings, inputs }: Tally): ReadonlyArray<number> => [
  inputs,
  checks,
  ...kinds.map((kind) => findings.filter((one) => one.kind === kind).length)
]

/** Gives one finding of each trouble, and the number of inputs that showed it. */
export const troubles = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding & { readonly times: number }> => {
  const groups = Map.groupBy(findings, sameTrouble)
  return [...groups.values()].map((group) => ({ ...group[0]!, times: group.length }))
}

/** Makes a table by border, and adds each trouble with the command that shows it again. */
export const reportOf = (seed: number, tallies: ReadonlyMap<string, Tally>): string => {
  const line = (name: string, cells: ReadonlyArray<string>) =>
    `${name.padEnd(22)}${cells.map((cell) => cell.padStart(9)).join("")}`
  const rows = [...tallies].map(([name, tally]) => [name, cellsOf(tally)] as const)
  const sums = columns.map((_, at) => rows.reduce((sum, [, cells]) => sum + cells[at]!, 0))
  const found = troubles([...tallies.values()].flatMap(({ findings }) => findings))
  return [
    line("border", columns),
    ...rows.map(([name, cells]) => line(name, cells.map(String))),
    line("all", sums.map(String)),
    ...found.flatMap(({ border, check, input, kind, shown, times, what }) => [
      "",
      `${kind}, ${times === 1 ? "once" : `${times} times`}: ${border}, ${check}: ${what}${shown === "" ? "" : `: ${JSON.stringify(shown)}`}`,
      `  pnpm fuzz --seed ${seed} --border ${border} --input ${input}`
    ])
  ].join("\n")
}
