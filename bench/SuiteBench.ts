import { Console, Effect, FileSystem, Path, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { running } from "./Child.ts"
import { nightsInMemory } from "./MemoryBench.ts"
import { report, type Row, timed } from "./Table.ts"

/** Seconds of `pnpm test` on two cores that do nothing else. */
const limit = { atMost: 120 }
const [slowest, busyLoops] = [10, 2]
const root = `${import.meta.dirname}/..`

const Scripts = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ test: Schema.String }) }))
const Results = Schema.fromJsonString(
  Schema.Struct({
    testResults: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        startTime: Schema.Number,
        endTime: Schema.Number,
        message: Schema.String,
        assertionResults: Schema.Array(
          Schema.Struct({
            fullName: Schema.String,
            status: Schema.String,
            failureMessages: Schema.NullOr(Schema.Array(Schema.String))
          })
        )
      })
    )
  })
)

/** Reads the processor time, in seconds, of all programs that this one has started and seen end. */
const spent = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const stat = yield* fs.readFileString("/proc/self/stat")
  // The name in brackets may have spaces. The kernel counts hundredths.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[13]) + Number(fields[14])) / 100
})

/** Runs the tests of `pnpm test` once. Its words are those of `package.json`. */
const tests = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" }), "results.json")
  const { scripts } = yield* Schema.decodeEffect(Scripts)(yield* fs.readFileString(`${root}/package.json`))
  const words = scripts.test.split(" ").map((word) => word.replaceAll("'", ""))
  const args = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
  const vitest = path.resolve(root, "node_modules/vitest/vitest.mjs")
  let printed = ""
  const before = yield* spent
  const seconds = yield* timed(
    Effect.scoped(
      Effect.gen(function* () {
        const handle = yield* ChildProcess.make(process.execPath, [vitest, ...words.slice(1), ...args], {
          cwd: root,
          env: { NO_COLOR: "1" },
          extendEnv: true,
          stderr: "ignore"
        })
        yield* handle.stdout.pipe(
          Stream.decodeText(),
          Stream.runForEach((text) => Effect.sync(() => (printed += text)))
        )
        return yield* handle.exitCode
      })
    )
  )
  const processor = (yield* spent) - before
  const { testResults } = yield* Schema.decodeEffect(Results)(yield* fs.readFileString(file))
  const red = testResults.flatMap(({ assertionResults, message, name }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed")
    const own = failed.map(({ failureMessages, fullName }) => `${fullName}: ${failureMessages?.[0] ?? ""}`)
    // A file that does not load has no test.
    return [...own, ...(failed.length === 0 && message !== "" ? [message] : [])].map(
      (what) => `${path.relative(path.resolve(root), name)}: ${what.slice(0, 2000)}`
    )
  })
  const seeds = printed.match(/SOUFFLEUR_SEED=\S+/gu) ?? []
  const files = testResults
    .map(({ endTime, name, startTime }) => ({
      name: path.relative(path.resolve(root), name),
      seconds: (endTime - startTime) / 1000
    }))
    .toSorted((a, b) => b.seconds - a.seconds)
  return { files, processor, red, seconds, seeds }
}).pipe(Effect.scoped)

const tellRed = ({ red, seeds }: Effect.Success<typeof tests>) =>
  red.length === 0 ? Effect.void : Console.log([...red, `seeds: ${seeds.join(" ")}`, ""].join("\n"))

/** Measures one run of the tests, alone. A red test is a missed limit too. */
const alone = Effect.gen(function* () {
  const run = yield* tests
  yield* tellRed(run)
  const rows: ReadonlyArray<Row> = [
    { cells: ["all"], measured: run.seconds, limit },
    { cells: ["processor time of all"], measured: run.processor },
    { cells: ["red tests"], measured: run.red.length, limit: { atMost: 0 } },
    ...(yield* nightsInMemory),
    ...run.files.slice(0, slowest).map(({ name, seconds }) => ({ cells: [name], measured: seconds }))
  ]
  return yield* report(["pnpm test, once and alone", "seconds"], rows)
})

/** Runs the tests some times beside loops that keep both cores busy. No run may be red, however long it takes. */
const besideLoops = (times: number) =>
  Effect.gen(function* () {
    yield* Effect.replicateEffect(running(process.execPath, ["-e", "for (;;);"], root, {}), busyLoops)
    const rows: Array<Row> = []
    for (let n = 1; n <= times; n++) {
      const run = yield* tests
      yield* Console.log(`run ${n}: ${run.seconds.toFixed(0)} s, ${run.red.length} red; seeds: ${run.seeds.join(" ")}`)
      yield* tellRed(run)
      rows.push({ cells: [`${n}`, run.seconds.toFixed(0)], measured: run.red.length, limit: { atMost: 0 } })
    }
    return yield* report([`pnpm test beside ${busyLoops} busy loops`, "seconds", "red tests"], rows)
  }).pipe(Effect.scoped)

/** Measures the suite of each change: once alone, or `busy` times beside other work. */
export const suite = (busy: number) => (busy > 0 ? besideLoops(busy) : alone)
