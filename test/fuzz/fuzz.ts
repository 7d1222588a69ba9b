import { parseArgs } from "node:util"
import { borders } from "./Borders.ts"
import { campaign, stretchesOf } from "./FuzzCampaign.ts"
import { reportOf, troubles } from "./FuzzReport.ts"

/**
 * `pnpm fuzz --inputs N --seed S`: N hostile inputs over every border, the same to the letter each time. `--border
 * NAME`: of that one alone; `--input K`: that very one. Without a seed a fresh one is taken, and printed. Ends with 1
 * when anything was found.
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
// On the side: what is printed is the same each time, and this is not.
console.error(`${((performance.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = findings.length > 0 ? 1 : 0
