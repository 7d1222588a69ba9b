import { fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { Campaign, type Tally, tallyOf } from "./SimulationCampaign.ts"
import { plays } from "./Play.ts"
import { reportOf } from "./SimulationReport.ts"

/**
 * `pnpm simulate --seed N --cycles C` simulates worlds from seed N on, the same to the letter each time. It goes on
 * until C faulted recovery cycles were seen. With `--runs`, the worlds are of `souffleur conduct`, until C faulted
 * assignments of agents were seen. Few cycles are told in full; of more there are the table and the violations. Without
 * a seed a fresh one is taken, and printed.
 */
const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    seed: { type: "string" },
    runs: { type: "boolean", default: false },
    cycles: { type: "string", default: "1" },
    workers: { type: "string", default: String(Math.min(2, availableParallelism())) }
  }
})
const number = (name: "seed" | "cycles" | "workers", text: string): number => {
  const found = Number(text)
  if (/^\d{1,9}$/u.test(text) && (name === "seed" || found > 0)) return found
  console.error(
    `--${name} ${text}: a whole number of at most nine digits${name === "seed" ? "" : ", from 1 on"} is needed`
  )
  process.exit(2)
}
const seed =
  values.seed === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! % 900_000_000 : number("seed", values.seed)
const [wanted, workers] = [number("cycles", values.cycles), number("workers", values.workers)]
/** The number of cycles that a person reads. */
const told = 50
/** The number of worlds in one message to a worker. */
const batch = 8

const name = values.runs ? "runs" : "watches"
const play = plays[name]
const campaign = new Campaign(seed, wanted, play)

const tell = (): void => {
  for (let index = 0; !campaign.isOver; index++) {
    const { story, ...tally } = play.simulate(campaign.seed(index))
    console.log(`world ${tally.seed}\n${story.join("\n")}\n`)
    campaign.add(tally)
  }
}

const run = async (): Promise<void> => {
  let next = 0
  const seeds = () => Array.from({ length: batch }, () => campaign.seed(next++))
  let printed = performance.now()
  const progress = () => {
    if (performance.now() - printed < 15_000) return
    printed = performance.now()
    const failed = campaign.failed.map((one) => one.seed)
    console.error(
      `${campaign.faulted} of ${wanted}, ${failed.length === 0 ? "no world" : `worlds ${failed.join(", ")}`} failed`
    )
  }
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const worker = fork(new URL("simulationWorker.ts", import.meta.url), [name])
      worker.on("error", reject)
      worker.on("message", (tallies: ReadonlyArray<Tally>) => {
        for (const tally of tallies) campaign.add(tally)
        progress()
        if (!campaign.isOver) return void worker.send(seeds())
        worker.disconnect()
        resolve()
      })
      worker.send(seeds())
    })
  if (workers === 1) for (; !campaign.isOver; progress()) campaign.add(tallyOf(play, campaign.seed(next++)))
  else await Promise.all(Array.from({ length: workers }, one))
}

// A person who stops it has the results until then.
process.once("SIGINT", () => {
  console.log(reportOf(campaign, seed, play))
  process.exit(1)
})

const start = performance.now()
console.log(`seed ${seed}, ${wanted} ${play.cycles}`)
if (wanted <= told) tell()
else await run()
console.log(reportOf(campaign, seed, play))
// The duration goes to the side: the print is the same each time, and the duration is not.
console.error(`${((performance.now() - start) / 1000).toFixed(1)} s`)
process.exitCode = campaign.failed.length > 0 ? 1 : 0
