import { trim as ours } from "@souffleur/recovery"
import { Effect, FileSystem } from "effect"
import { exportFile } from "./ExportFile.ts"
import { median, report, type Row, timed } from "./Table.ts"

const rounds = 7
const kept = 800_000
/** Milliseconds of a trim, whatever the size of the file. */
const atMost = 30

/** Measures trims of files of three sizes to their top and newest 800,000 characters. The size must not matter. */
export const trim = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const rows: Array<Row> = []
  for (const megabytes of [10, 100, 1000]) {
    const whole = yield* exportFile(`${folder}/${megabytes}.md`, megabytes * 1_000_000, "own")
    const seconds: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      // The trimmed file takes the link's name; the whole file stays.
      const name = `${folder}/trimmed.md`
      yield* fs.remove(name, { force: true })
      yield* fs.link(whole, name)
      seconds.push(yield* timed(ours(name, kept)))
    }
    rows.push({
      cells: [`${megabytes} MB`, (Math.max(...seconds) * 1000).toFixed(1)],
      measured: median(seconds) * 1000,
      limit: { atMost }
    })
    yield* fs.remove(whole)
  }
  return yield* report(["trim to 800,000 characters", "ms, first or worst", "ms, median"], rows)
})
