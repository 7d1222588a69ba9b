import { tallyOf } from "./Campaign.ts"

/** Simulates each world that it is asked for. */
process.on("message", (seeds: ReadonlyArray<number>) => process.send?.(seeds.map(tallyOf)))
