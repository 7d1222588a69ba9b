import { estimate as ours } from "@souffleur/recovery"
import { Console, Effect, FileSystem, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { exportFile } from "./ExportFile.ts"
import { median, table, timed } from "./Table.ts"

const bytes = 1_000_000_000
const rounds = 5

/** The peer: the five patterns of a foreign export over the decoded text. A tenth of the file, since it keeps all of it in memory. */
const python = `
import re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", errors="replace")
patterns = [r"compact_boundary", r"microcompact_boundary", r"(^|\\n)\\s*/compact\\b", r"Compacted \\(", r"\\[lethe summary\\]"]
ends = [m.end() for p in patterns for m in re.finditer(p, text, re.IGNORECASE)]
print((len(text) - max(ends, default=0)) // 3)
`

const ran = Effect.fnUntraced(function* (program: string, args: ReadonlyArray<string>) {
  const handle = yield* ChildProcess.make(program, args)
  yield* Stream.runDrain(handle.stdout)
  yield* handle.exitCode
}, Effect.scoped)

/** Estimates of 1 GB beside `wc -lc`, and of 100 MB beside Python, on the same files in turns. */
export const estimate = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const own = yield* exportFile(`${folder}/own.md`, bytes, "own")
  const foreign = yield* exportFile(`${folder}/foreign.md`, bytes, "foreign")
  const tenth = yield* exportFile(`${folder}/tenth.md`, bytes / 10, "foreign")
  const before = process.resourceUsage().maxRSS
  const seconds = { wc: [] as Array<number>, own: [] as Array<number>, foreign: [] as Array<number>, tenth: [] as Array<number> }
  for (let round = 0; round < rounds; round++) {
    seconds.wc.push(yield* timed(ran("wc", ["-lc", own])))
    seconds.own.push(yield* timed(ours(own)))
    seconds.foreign.push(yield* timed(ours(foreign)))
    seconds.tenth.push(yield* timed(ours(tenth)))
  }
  const grown = (process.resourceUsage().maxRSS - before) / 1000
  const peer = (yield* timed(ran("python3", ["-c", python, tenth]))) * 10
  const wc = median(seconds.wc)
  const row = (name: string, value: number) => [name, value.toFixed(2), (value / wc).toFixed(1), (peer / value).toFixed(0)]
  yield* Console.log(
    table(
      ["estimate of 1 GB", "seconds", "× wc", "faster than Python"],
      [
        row("wc -lc", wc),
        row("our export", median(seconds.own)),
        row("a foreign export", median(seconds.foreign)),
        row("Python, ten times 100 MB", peer)
      ]
    )
  )
  yield* Console.log(`memory: ${grown.toFixed(0)} MB more at its peak than before`)
})
