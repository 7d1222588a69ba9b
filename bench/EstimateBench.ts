import { estimate as ours } from "@souffleur/recovery"
import { Console, Effect, FileSystem } from "effect"
import { child } from "./Child.ts"
import { exportFile } from "./ExportFile.ts"
import { pythonEstimate, pythonHere } from "./Peers.ts"
import { median, table, timed } from "./Table.ts"

const bytes = 1_000_000_000
const rounds = 5

/** Measures estimates of 1 GB beside `wc -lc`, and of 100 MB beside Python, on the same files in turns. */
export const estimate = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const own = yield* exportFile(`${folder}/own.md`, bytes, "own")
  const foreign = yield* exportFile(`${folder}/foreign.md`, bytes, "foreign")
  const tenth = yield* exportFile(`${folder}/tenth.md`, bytes / 10, "foreign")
  const before = process.resourceUsage().maxRSS
  const seconds = {
    wc: [] as Array<number>,
    own: [] as Array<number>,
    foreign: [] as Array<number>,
    tenth: [] as Array<number>
  }
  for (let round = 0; round < rounds; round++) {
    seconds.wc.push((yield* child("wc", ["-lc", own])).seconds)
    seconds.own.push(yield* timed(ours(own)))
    seconds.foreign.push(yield* timed(ours(foreign)))
    seconds.tenth.push(yield* timed(ours(tenth)))
  }
  const grown = (process.resourceUsage().maxRSS - before) / 1000
  // Python gets a tenth of the file, because it keeps all of it in memory.
  const peer = (yield* pythonHere) ? (yield* child("python3", ["-c", pythonEstimate, tenth])).seconds * 10 : Number.NaN
  const wc = median(seconds.wc)
  const row = (name: string, value: number) => [
    name,
    value.toFixed(2),
    (value / wc).toFixed(1),
    Number.isNaN(peer) ? "-" : (peer / value).toFixed(0)
  ]
  yield* Console.log(
    table(
      ["estimate of 1 GB", "seconds", "× wc", "faster than Python"],
      [
        row("wc -lc", wc),
        row("our export", median(seconds.own)),
        row("a foreign export", median(seconds.foreign)),
        ...(Number.isNaN(peer) ? [] : [row("Python, ten times 100 MB", peer)])
      ]
    )
  )
  yield* Console.log(`memory: ${grown.toFixed(0)} MB more at its peak than before`)
})
