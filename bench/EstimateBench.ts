import { estimate as ours } from "@souffleur/recovery"
import { Effect, FileSystem } from "effect"
import { exportFile } from "./ExportFile.ts"
import { median, report, timed } from "./Table.ts"

const rounds = 9
/** Bytes of an export that was trimmed to 800,000 characters. */
const trimmedBytes = 870_000

/**
 * Measures estimates of a trimmed export, our own and a foreign one. It also measures the peak memory of an estimate of
 * 1 GB.
 */
export const estimate = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const millis = Effect.fnUntraced(function* (kind: "own" | "foreign") {
    const path = yield* exportFile(`${folder}/${kind}.md`, trimmedBytes, kind)
    return median(yield* Effect.replicateEffect(timed(ours(path)), rounds)) * 1000
  })
  const small = yield* report(
    ["estimate of a trimmed export", "ms"],
    [
      { cells: ["our own"], measured: yield* millis("own"), limit: { atMost: 25 } },
      { cells: ["a foreign one"], measured: yield* millis("foreign"), limit: { atMost: 25 } }
    ]
  )
  const gigabyte = yield* exportFile(`${folder}/gigabyte.md`, 1_000_000_000, "foreign")
  const before = process.resourceUsage().maxRSS
  const seconds = yield* timed(ours(gigabyte))
  const grown = (process.resourceUsage().maxRSS - before) / 1000
  const large = yield* report(
    ["estimate of 1 GB", "seconds", "MB more at its peak"],
    [{ cells: ["a foreign one", seconds.toFixed(2)], measured: grown, limit: { atMost: 50 } }]
  )
  return small && large
})
