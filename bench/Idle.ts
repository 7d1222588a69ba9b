import { Clock, Console, Effect, FileSystem, Path, Random, Schedule, Schema, Stream } from "effect"
import { build } from "rolldown"
import { running, souffleur } from "./Child.ts"
import { median, table } from "./Table.ts"

/** Kernel ticks a second, the unit of processor time in /proc (proc(5): USER_HZ, 100 on Linux). */
const ticks = 100
const limits = { memory: 1.2, noticed: 1000 }

const Told = Schema.fromJsonString(
  Schema.Struct({ _tag: Schema.String, conductor: Schema.optional(Schema.NullOr(Schema.Struct({ pid: Schema.Int }))) })
)

/** Returns the megabytes that a process holds, and the seconds of processor time that it has used. */
const used = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const status = yield* fs.readFileString(`/proc/${pid}/status`)
  const stat = yield* fs.readFileString(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return {
    megabytes: Number(/VmRSS:\s*(\d+) kB/u.exec(status)?.[1]) / 1024,
    processor: (Number(fields[11]) + Number(fields[12])) / ticks
  }
})

/**
 * Measures the cost of an idle watch with its probe, beside a bare program on Effect and bare Node, all at once. It
 * also measures how soon souffleur notices the end of the watched process, which is not its child.
 */
export const idle = (seconds: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
    const { entry, what } = yield* souffleur

    const bare = path.join(folder, "bareEffect.js")
    const input = path.join(import.meta.dirname, "bareEffect.ts")
    yield* Effect.promise(() =>
      build({ input, platform: "node", logLevel: "silent", output: { file: bare, codeSplitting: false } })
    )

    const start = (...args: ReadonlyArray<string>) =>
      running(process.execPath, args, folder, { SOUFFLEUR_STATE_DIR: path.join(folder, "state") })
    const node = yield* start("-e", "setInterval(() => {}, 1000)")
    const effect = yield* start(bare)
    const ours = yield* start(entry, "run", "--json", "--", "sleep", "1000000")

    const told = new Array<typeof Told.Type>()
    yield* Effect.forkScoped(
      ours.stdout.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.mapEffect((line) => Schema.decodeEffect(Told)(line)),
        Stream.runForEach((event) => Effect.sync(() => told.push(event)))
      )
    )
    const until = <A>(found: () => A | undefined) =>
      Effect.repeat(Effect.sync(found), {
        schedule: Schedule.spaced("2 millis"),
        until: (value) => value !== undefined
      }).pipe(
        Effect.map((value) => value!),
        Effect.timeout("90 seconds")
      )
    yield* until(() => told.find(({ _tag }) => _tag === "WatchSettled"))

    yield* Effect.sleep("10 seconds")
    const pids = [node, effect, ours].map(({ pid }) => pid)
    const before = yield* Effect.forEach(pids, used)
    yield* Effect.sleep(`${seconds} seconds`)
    const after = yield* Effect.forEach(pids, used)
    const peer = after[1]!.megabytes
    const rows = ["bare Node", "bare Effect", `a watch (${what})`].map((name, index) => {
      const { megabytes, processor } = after[index]!
      const share = ((processor - before[index]!.processor) / seconds) * 100
      const verdict = index < 2 ? "" : `<= ${limits.memory} ${megabytes / peer <= limits.memory ? "met" : "missed"}`
      return [name, megabytes.toFixed(1), (megabytes / peer).toFixed(2), share.toFixed(3), verdict]
    })
    yield* Console.log(table([`idle for ${seconds} s`, "MB", "× bare Effect", "% of a core", "target"], rows))

    const noticed = new Array<number>()
    const conductors = () => told.flatMap(({ conductor }) => (conductor ? [conductor.pid] : []))
    const deaths = () => told.filter(({ _tag }) => _tag === "ConductorDied").length
    // The watch gives up at the third death, since none of them made progress.
    for (let round = 1; round <= 3; round++) {
      const pid = yield* until(() => conductors()[round - 1])
      // The process is killed at any moment between two probes.
      yield* Effect.sleep(yield* Random.nextIntBetween(1000, 2000))
      const at = yield* Clock.currentTimeMillis
      process.kill(pid, "SIGKILL")
      yield* until(() => (deaths() === round ? true : undefined))
      noticed.push((yield* Clock.currentTimeMillis) - at)
    }
    const soon = median(noticed)
    yield* Console.log(
      `noticed its death after ${soon} ms (median of ${noticed.length}), target <= ${limits.noticed}: ${soon <= limits.noticed ? "met" : "missed"}`
    )
  }).pipe(Effect.scoped)
