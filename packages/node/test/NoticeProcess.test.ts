import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { HostServices, NoticeProcess } from "@souffleur/node"
import { Effect, Fiber, FileSystem } from "effect"
import { TestClock } from "effect/testing"

const script = fileURLToPath(new URL("fixtures/notices.ts", import.meta.url))

describe("behaviour#delivery-of-notices", () => {
  it.layer(HostServices.layer)((it) => {
    const stage = Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const start = { line: [process.execPath, script, folder] as const, environment: { ONLY: "this" } }
      const there = (name: string) =>
        Effect.repeat(
          Effect.andThen(
            Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
            Effect.sync(() => existsSync(`${folder}/${name}`) && readFileSync(`${folder}/${name}`, "utf8") !== "")
          ),
          { until: (yes) => yes }
        )
      const pid = Effect.map(there("pid"), () => Number(readFileSync(`${folder}/pid`, "utf8")))
      const gone = (pid: number) =>
        Effect.repeat(
          Effect.andThen(
            Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
            Effect.sync(() => {
              try {
                process.kill(pid, 0)
                return false
              } catch {
                return true
              }
            })
          ),
          { until: (yes) => yes }
        )
      return { folder, start, there, pid, gone }
    })

    it.effect("an order is on standard input, never in the arguments or the variables", () =>
      Effect.gen(function* () {
        const { folder, start } = yield* stage
        const answer = JSON.parse(yield* NoticeProcess.post(start, "SECRET", "1 hour"))
        assert.deepStrictEqual(answer, { order: "SECRET", args: [folder], names: ["ONLY"] })
      })
    )
    it.effect("a process that never answers is killed after the timeout", () =>
      Effect.gen(function* () {
        const { gone, pid, start } = yield* stage
        const fiber = yield* Effect.forkChild(Effect.flip(NoticeProcess.post(start, "hang", "25 minutes")))
        const started = yield* pid
        yield* TestClock.adjust("25 minutes")
        assert.strictEqual((yield* Fiber.join(fiber)).reason, "silent")
        yield* gone(started)
      })
    )
    it.effect("an interruption leaves the process at its work", () =>
      Effect.gen(function* () {
        const { folder, pid, start, there } = yield* stage
        const fiber = yield* Effect.forkChild(NoticeProcess.post(start, "late", "1 hour"))
        yield* pid
        yield* Fiber.interrupt(fiber)
        yield* there("done")
        assert.strictEqual(readFileSync(`${folder}/done`, "utf8"), "late")
      })
    )
    it.effect("an order can be left with a process, whose answer nothing waits for", () =>
      Effect.gen(function* () {
        const { folder, start, there } = yield* stage
        const leave = NoticeProcess.leaveLast()
        yield* leave(start, "alone")
        yield* there("done")
        assert.strictEqual(readFileSync(`${folder}/done`, "utf8"), "alone")
        yield* leave({ line: ["/nowhere/x"], environment: {} }, "x")
      })
    )
    it.effect("a process that is left ends the one before it, and no other", () =>
      Effect.gen(function* () {
        const [other, first, second] = [yield* stage, yield* stage, yield* stage]
        yield* NoticeProcess.leaveLast()(other.start, "hang")
        const beside = yield* other.pid
        const leave = NoticeProcess.leaveLast()
        yield* leave(first.start, "hang")
        const before = yield* first.pid
        yield* leave(second.start, "hang")
        const after = yield* second.pid
        yield* first.gone(before)
        for (const living of [beside, after]) process.kill(living, "SIGTERM")
      })
    )
    it.effect("a program that cannot be started has ended", () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(NoticeProcess.post({ line: ["/nowhere/x"], environment: {} }, "x", "1 hour"))
        assert.strictEqual(failed.reason, "ended")
      })
    )
  })
})
