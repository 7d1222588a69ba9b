import { Clock, Effect, FileSystem, Path, Random } from "effect"
import { build } from "rolldown"
import { running } from "./Child.ts"
import { restingWatch, until } from "./Resting.ts"
import { median, report } from "./Table.ts"
import { guardianOf, shares } from "./Used.ts"

/**
 * Measures the cost of a watch at rest with its guardian. It measures a bare program on Effect and bare Node beside
 * them, all at once. It also measures how soon souffleur notices the end of the watched process.
 */
export const idle = (seconds: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })

    const bare = path.join(folder, "bareEffect.mjs")
    const input = path.join(import.meta.dirname, "bareEffect.ts")
    yield* Effect.promise(() =>
      build({ input, platform: "node", logLevel: "silent", output: { file: bare, codeSplitting: false } })
    )
    const node = yield* running(process.execPath, ["-e", "setInterval(() => {}, 1000)"], folder, {})
    const effect = yield* running(process.execPath, [bare], folder, {})
    const { pid, told } = yield* restingWatch(folder)

    const pids = [node.pid, effect.pid, pid, yield* guardianOf(pid)]
    const [bareNode, bareEffect, watch, guardian] = yield* shares(pids, seconds)
    const rows = [
      ["bare Node", bareNode!],
      ["bare Effect", bareEffect!],
      ["a watch", watch!],
      ["its guardian", guardian!]
    ] as const
    const both = (part: "megabytes" | "percent") => watch![part] + guardian![part]
    const memory = yield* report(
      [`memory at rest for ${seconds} s`, "MB (PSS)"],
      [
        ...rows.map(([name, { megabytes }]) => ({ cells: [name], measured: megabytes })),
        { cells: ["both"], measured: both("megabytes"), limit: { atMost: 55 } }
      ]
    )
    const processor = yield* report(
      [`processor at rest for ${seconds} s`, "% of a core"],
      [
        ...rows.map(([name, { percent }]) => ({ cells: [name], measured: percent })),
        { cells: ["both"], measured: both("percent"), limit: { atMost: 0.3 } }
      ]
    )

    const noticed = new Array<number>()
    const conductors = () => told.flatMap(({ conductor }) => (conductor ? [conductor.pid] : []))
    const deaths = () => told.filter(({ _tag }) => _tag === "ConductorDied").length
    // The watch gives up at the third death, since none of them made progress.
    for (let round = 1; round <= 3; round++) {
      const conductor = yield* until(() => conductors()[round - 1])
      // The process is killed at any moment between two probes.
      yield* Effect.sleep(yield* Random.nextIntBetween(1000, 2000))
      const at = yield* Clock.currentTimeMillis
      process.kill(conductor, "SIGKILL")
      yield* until(() => (deaths() === round ? true : undefined))
      noticed.push((yield* Clock.currentTimeMillis) - at)
    }
    const deathRow = { cells: ["its own child"], measured: median(noticed), limit: { atMost: 1000 } }
    const soon = yield* report([`a death noticed, median of ${noticed.length}`, "ms"], [deathRow])
    return memory && processor && soon
  })
