import { parseArgs } from "node:util"
import { simulate } from "./Simulation.ts"

/** `node test/simulation/main.ts --seed N --cycles C` tells the story of one seed; with `--seeds M`, what M seeds from N on came to. */
const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, seeds: { type: "string" }, cycles: { type: "string", default: "6" } }
})
const [seed, cycles] = [Number(values.seed), Number(values.cycles)]
let failed = 0
if (values.seeds === undefined) {
  const { end, generations, souffleurs, story, violations } = simulate(seed, { cycles })
  console.log(story.join("\n"))
  console.log(`\nseed ${seed}: ${end}, ${generations} generations, ${souffleurs} souffleurs, violations: ${JSON.stringify(violations)}`)
  failed = violations.length
} else {
  const ends = new Map<string, number>()
  for (let one = seed; one < seed + Number(values.seeds); one++) {
    const { end, violations } = simulate(one, { cycles })
    ends.set(end, (ends.get(end) ?? 0) + 1)
    if (violations.length === 0) continue
    failed++
    console.log(`seed ${one}: ${[...new Set(violations)].join("; ")}`)
  }
  console.log(`${failed} of ${values.seeds} seeds failed; ends: ${JSON.stringify(Object.fromEntries(ends))}`)
}
process.exitCode = failed > 0 ? 1 : 0
