import { trim as ours } from "@souffleur/recovery"
import { Console, Effect, FileSystem } from "effect"
import { exportFile } from "./ExportFile.ts"
import { median, table, timed } from "./Table.ts"

const rounds = 7
const limit = 800_000

/** Measures trims of files of three sizes to their top and newest 800,000 characters. The size must not matter. */
export const trim = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  const rows: Array<ReadonlyArray<string>> = []
  for (const megabytes of [10, 100, 1000]) {
    const whole = yield* exportFile(`${folder}/${megabytes}.md`, megabytes * 1_000_000, "own")
    const seconds: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      // The trimmed file takes the link's name; the whole file stays.
      const name = `${folder}/trimmed.md`
      yield* fs.remove(name, { force: true })
      yield* fs.link(whole, name)
      seconds.push(yield* timed(ours(name, limit)))
    }
    rows.push([`${megabytes} MB`, (median(seconds) * 1000).toFixed(1), (Math.max(...seconds) * 1000).toFixed(1)])
    yield* fs.remove(whole)
  }
  yield* Console.log(table(["trim to 800,000 characters", "ms, median", "ms, first or worst"], rows))
})
