import { tallyOf } from "./Campaign.ts"
import { plays } from "./Play.ts"

const play = process.argv[2] === "runs" ? plays.runs : plays.watches

/** Simulates each world that it is asked for. */
process.on("message", (seeds: ReadonlyArray<number>) => process.send?.(seeds.map((seed) => tallyOf(play, seed))))
