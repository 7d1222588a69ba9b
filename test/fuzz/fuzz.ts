import { parseArgs } from "node:util"
import { borders } from "./Borders.ts"
import { campaign, stretchesOf } from "./FuzzCampaign.ts"
import { reportOf, troubles } from "./FuzzReport.ts"

/**
 * `pnpm fuzz --inputs N --seed S` tries N hostile inputs over every border, the same to the letter each time. `--border
 * NAME` tries that border alone, and `--input K` that very input. Without a seed, it takes a fresh one and prints it.
 * It ends with 1 where it found a fault.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    inputs: { type: "string", default: "2000" },
    seed: { type: "string" },
    border: { type: "string" },
    input: { type: "string" },
    json: { type: "boolean", default: false }
  }
})
const refuse = (why: string): never => {
  console.error(why)
  process.exit(2)
}
const number = (name: "inputs" | "seed" | "input", text: string): number =>
  /^\d{1,9}$/u.test(text) ? Number(text) : refuse(`--${name} ${text}: a whole number of at most nine digits is needed`)

const seed =
  values.seed === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! % 900_000_000 : number("seed", values.seed)
const chosen = borders.filter(({ name }) => values.border === undefined || name === values.border)
if (chosen.length === 0) refuse(`--border ${values.border}: there are ${borders.map(({ name }) => name).join(", ")}`)
if (values.input !== undefined && values.border === undefined) refuse("--input needs --border")
const only = values.input === undefined ? undefined : number("input", values.input)

const start = performance.now()
if (!values.json) console.log(`seed ${seed}`)
const stretches =
  only === undefined
    ? stretchesOf(chosen, number("inputs", values.inputs))
    : chosen.map(({ name, within }) => ({ border: name, within, from: only, to: only + 1 }))
const tallies = await campaign(seed, stretches)
const findings = [...tallies.values()].flatMap((tally) => tally.findings)
if (values.json) {
  const table = [...tallies].map(([border, { checks, inputs }]) => ({ border, inputs, checks }))
  console.log(JSON.stringify({ seed, borders: table, findings: troubles(findings) }))
} else console.log(reportOf(seed, tallies))
// The time goes to standard error. Standard output is the same each time, and the time is not.
console.error(`${((performance.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = findings.length > 0 ? 1 : 0
