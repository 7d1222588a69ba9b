import { Effect, FileSystem } from "effect"
import { type child, souffleur } from "./Child.ts"
import { exportFile } from "./ExportFile.ts"
import { sessionFile } from "./SessionFileBench.ts"
import { median, report, type Row } from "./Table.ts"

const rounds = 3
const session = "bench"

type Run = Effect.Success<ReturnType<typeof child>>

/** Measures estimate, export and trim at each size, each in its own process. Memory does not grow with the size. */
export const transcripts = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
    const ours = yield* souffleur
    yield* fs.makeDirectory(`${folder}/projects/-bench`, { recursive: true })
    const environment = { SOUFFLEUR_CLAUDE_DIR: folder, SOUFFLEUR_STATE_DIR: `${folder}/state` }
    const row = Effect.fnUntraced(function* (what: string, size: number, args: ReadonlyArray<string>) {
      const runs: ReadonlyArray<Run> = yield* Effect.replicateEffect(ours.run(args, environment), rounds)
      return {
        cells: [`${what}, ${size} MB`, median(runs.map(({ seconds }) => seconds)).toFixed(3)],
        measured: Math.max(...runs.map(({ megabytes }) => megabytes)),
        limit: { atMost: 200 }
      } satisfies Row
    })
    const rows: Array<Row> = []
    for (const size of sizes) {
      const markdown = yield* exportFile(`${folder}/foreign.md`, size * 1_000_000, "foreign")
      const jsonl = yield* sessionFile(`${folder}/projects/-bench/${session}.jsonl`, size * 1_000_000)
      const out = `${folder}/out.md`
      rows.push(
        yield* row("estimate", size, ["estimate", markdown, "--json"]),
        yield* row("export", size, ["export", session, "--out", out]),
        yield* row("export --trim", size, ["export", session, "--out", out, "--trim"])
      )
      for (const file of [markdown, jsonl, out]) yield* fs.remove(file)
    }
    return yield* report(["transcripts", "seconds", "peak MB"], rows)
  })
