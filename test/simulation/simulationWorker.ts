import { tallyOf } from "./SimulationCampaign.ts"
import { plays } from "./Play.ts"

// A stack has no reader here: a world that fails is told again. To note stacks takes a quarter of the time.
Error.stackTraceLimit = 0

const play = process.argv[2] === "runs" ? plays.runs : plays.watches

/** Simulates each world that it is asked for. */
process.on("message", (seeds: ReadonlyArray<number>) => {
  const tallies = seeds.map((seed) => tallyOf(play, seed))
  // The asking process may have been stopped meanwhile.
  process.send?.(tallies, () => undefined)
})
