import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, FileSystem, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import builtin, * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { boundOutputs } from "../src/launch/Outputs.ts"

const used = (path: string) => (fs.statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512
const MiB = 1 << 20

describe("behaviour#output-of-launches", () => {
  it.live("a launch's output takes bounded disk space; its newest bytes stay, and its writer is not disturbed", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped({ prefix: "souffleur-outputs-" })
      const [mine, others] = [`${folder}/w-1-launch.out`, `${folder}/v-1-launch.out`]
      fs.writeFileSync(others, Buffer.alloc(40 * MiB, "o"))
      const before = `${folder}/w-1-before.out`
      fs.writeFileSync(before, Buffer.concat([Buffer.alloc(24 * MiB, "o"), Buffer.alloc(16 * MiB, "n")]))
      yield* Effect.forkScoped(boundOutputs(folder, "w-1-"))
      yield* Effect.repeat(
        Effect.sync(() => used(before)),
        { until: (bytes) => bytes <= 17 * MiB, schedule: Schedule.spaced("20 millis") }
      )
      assert.isTrue(
        fs
          .readFileSync(before)
          .subarray(24 * MiB)
          .every((byte) => byte === 110)
      )
      const output = fs.openSync(mine, "a", 0o600)
      // 400 MiB, and its last word.
      const child = spawn("sh", ["-c", "head -c 419430400 /dev/zero | tr '\\0' y; echo; echo VERDICT"], {
        stdio: ["ignore", output, "inherit"]
      })
      fs.closeSync(output)
      const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
      assert.strictEqual(yield* Effect.promise(() => ended), 0)
      yield* Effect.repeat(
        Effect.sync(() => used(mine)),
        { until: (bytes) => bytes <= 33 * MiB, schedule: Schedule.spaced("20 millis") }
      )
      assert.strictEqual(fs.statSync(mine).size, 419_430_400 + "\nVERDICT\n".length)
      const end = Buffer.alloc(16 * MiB)
      const file = fs.openSync(mine, "r")
      fs.readSync(file, end, 0, end.length, fs.statSync(mine).size - end.length)
      fs.closeSync(file)
      const verdict = Buffer.from("\nVERDICT\n")
      assert.isTrue(end.equals(Buffer.concat([Buffer.alloc(end.length - verdict.length, "y"), verdict])))
      assert.isAtLeast(used(others), 40 * MiB, "another's is another's to bound")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a folder in which nothing is printed is not read, and what comes on standard error then is bounded", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped({ prefix: "souffleur-outputs-" })
      const output = `${folder}/w-1-launch.err`
      fs.writeFileSync(output, "quiet\n")
      yield* Effect.forkScoped(boundOutputs(folder, "w-1-"))
      const watchers = () => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length
      // The folder is watched for changes once two checks have found the same, and as long as nothing changes.
      const watched = (count: number) =>
        Effect.repeat(Effect.sync(watchers), { until: (all) => all === count, schedule: Schedule.spaced("20 millis") })
      yield* watched(1)
      fs.appendFileSync(output, "still quiet\n")
      yield* watched(0)
      yield* watched(1)
      fs.appendFileSync(output, Buffer.alloc(40 * MiB, "o"))
      yield* Effect.repeat(
        Effect.sync(() => used(output)),
        { until: (bytes) => bytes <= 17 * MiB, schedule: Schedule.spaced("20 millis") }
      ).pipe(Effect.timeout("20 seconds"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("a folder that is not there is looked for each minute", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = `${yield* files.makeTempDirectoryScoped({ prefix: "souffleur-outputs-" })}/guardians`
      const read = vi.spyOn(builtin, "readdirSync")
      syncBuiltinESMExports()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          read.mockRestore()
          syncBuiltinESMExports()
        })
      )
      yield* Effect.forkScoped(boundOutputs(folder, "w-1-"))
      yield* TestClock.adjust("10 minutes")
      assert.isAtMost(read.mock.calls.filter(([path]) => path === folder).length, 12)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
