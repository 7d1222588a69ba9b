import { Console, Effect, FileSystem } from "effect"
import { child, souffleur } from "./Child.ts"
import { exportFile } from "./ExportFile.ts"
import { pythonEstimate, pythonExport, pythonHere } from "./Peers.ts"
import { sessionFile } from "./SessionFileBench.ts"
import { median, table } from "./Table.ts"

const rounds = 3
const session = "bench"

type Run = Effect.Success<ReturnType<typeof child>>
const seconds = (runs: ReadonlyArray<Run>) => median(runs.map((run) => run.seconds))
const megabytes = (runs: ReadonlyArray<Run>) => Math.max(...runs.map((run) => run.megabytes))

/** Limits that a case must keep. */
interface Target {
  readonly peakMegabytes?: number
  /** Factor at least: how many times faster than Python. */
  readonly python?: number
  /** Factor at most: how many times slower than `wc -lc`. */
  readonly wc?: number
}

/** Measures estimate, export and trim at each size beside `wc -lc` and Python, each in its own process. */
export const transcripts = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
    const ours = yield* souffleur
    const python = yield* pythonHere
    yield* fs.makeDirectory(`${folder}/projects/-bench`, { recursive: true })
    const environment = { SOUFFLEUR_CLAUDE_DIR: folder, SOUFFLEUR_STATE_DIR: `${folder}/state` }
    const repeated = <E, R>(run: Effect.Effect<Run, E, R>) => Effect.replicateEffect(run, rounds)
    const own = (...args: ReadonlyArray<string>) => repeated(ours.run(args, environment))

    const starts = yield* own("--version")
    const start = seconds(starts)
    const rows: Array<ReadonlyArray<string>> = []
    const add = (what: string, size: number, runs: ReadonlyArray<Run>, peer: number, wc: number, target?: Target) => {
      // The start takes longer than the work on small files, so the start is subtracted.
      const work = target === undefined ? seconds(runs) : Math.max(seconds(runs) - start, 0.001)
      const [peak, faster, slower] = [megabytes(runs), peer / work, work / wc]
      const large = size >= 1000
      const judged: ReadonlyArray<readonly [asked: number | undefined, what: string, met: boolean]> = [
        [target?.peakMegabytes, `<= ${target?.peakMegabytes} MB`, peak <= (target?.peakMegabytes ?? 0)],
        [
          Number.isNaN(peer) || !large ? undefined : target?.python,
          `>= ${target?.python} x Python`,
          faster >= (target?.python ?? 0)
        ],
        [large ? target?.wc : undefined, `<= ${target?.wc} x wc`, slower <= (target?.wc ?? 0)]
      ]
      const shown = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : "-")
      const verdicts = judged.flatMap(([asked, what, met]) =>
        asked === undefined ? [] : [`${what} ${met ? "met" : "missed"}`]
      )
      rows.push([
        `${what}, ${size} MB`,
        shown(work, 3),
        shown(peak, 0),
        shown(slower, 1),
        shown(faster, 1),
        verdicts.join(", ")
      ])
    }

    for (const size of sizes) {
      const markdown = yield* exportFile(`${folder}/foreign.md`, size * 1_000_000, "foreign")
      const jsonl = yield* sessionFile(`${folder}/projects/-bench/${session}.jsonl`, size * 1_000_000)
      const out = `${folder}/out.md`

      const counted = yield* repeated(child("wc", ["-lc", markdown]))
      // Python keeps the whole file in memory for an estimate: 4 GB for a file of 1 GB.
      const estimated = python && size < 1000 ? yield* repeated(child("python3", ["-c", pythonEstimate, markdown])) : []
      const exported = python ? yield* repeated(child("python3", ["-c", pythonExport, jsonl, out])) : []
      const [wc, peerEstimate, peerExport] = [seconds(counted), seconds(estimated), seconds(exported)]

      add("wc -lc", size, counted, Number.NaN, wc)
      if (estimated.length > 0) add("estimate, Python", size, estimated, peerEstimate, wc)
      add("estimate", size, yield* own("estimate", markdown, "--json"), peerEstimate, wc, {
        peakMegabytes: 70,
        python: 80,
        wc: 3
      })
      if (exported.length > 0) add("export, Python", size, exported, peerExport, wc)
      const target = { peakMegabytes: 150, python: 3 }
      add("export", size, yield* own("export", session, "--out", out), peerExport, wc, target)
      add("export --trim", size, yield* own("export", session, "--out", out, "--trim"), peerExport, wc, target)
      for (const file of [markdown, jsonl, out]) yield* fs.remove(file)
    }
    yield* Console.log(
      `souffleur: ${ours.what}; a start takes ${start.toFixed(3)} s, left out of its rows below, and ${megabytes(starts).toFixed(0)} MB, which are in them`
    )
    yield* Console.log(table(["transcripts", "seconds", "peak MB", "x wc", "x Python", "target"], rows))
    if (!python) yield* Console.log("no python3 here: its rows are left out")
  })
