import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { readTrusted } from "@souffleur/process"
import { Deferred, Effect, Fiber, FileSystem, Layer } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as LimitedFiles from "../src/files/LimitedFiles.ts"
import * as TrustedFiles from "../src/files/HostTrustedFiles.ts"
import { folder } from "./fixtures/Spawned.ts"

const limited = Layer.provide(LimitedFiles.layer, NodeFileSystem.layer)
const openFile = Effect.fnUntraced(function* (path: string) {
  yield* (yield* FileSystem.FileSystem).open(path)
}, Effect.scoped)
/** A name for each thread that Node has for files. */
const threads = Array.from({ length: Number(process.env["UV_THREADPOOL_SIZE"]) || 4 }, (_, n) => String(n))
const isOpen = (path: string) =>
  fs.readdirSync("/proc/self/fd").some((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

describe("behaviour#reads-that-hang", () => {
  it.effect(
    "an open that hangs fails after 30 s, its folder is left alone until it answers, and it is closed then",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const at = fs.realpathSync(yield* folder)
        const [dead, pipe] = [join(at, "dead"), join(at, "dead", "pipe")]
        fs.mkdirSync(dead)
        fs.writeFileSync(join(dead, "file"), "x")
        execFileSync("mkfifo", [pipe])

        const opening = yield* Effect.forkChild(Effect.flip(openFile(pipe)), { startImmediately: true })
        yield* TestClock.adjust("29 seconds")
        assert.isUndefined(opening.pollUnsafe())
        const file = yield* files.open(join(dead, "file"))
        assert.deepStrictEqual(
          [(yield* file.stat).size, yield* file.read(new Uint8Array(9))],
          [1n, 1],
          "it is not over yet"
        )
        yield* TestClock.adjust("1 second")
        const { reason } = yield* Fiber.join(opening)
        assert.deepStrictEqual(
          [reason._tag, reason.message],
          ["TimedOut", `TimedOut: FileSystem.read (${pipe}): it did not answer within 30 s`]
        )
        const beside = yield* Effect.flip(files.readFile(join(dead, "file")))
        assert.include(beside.message, `not before ${pipe} answers, which hangs`)
        assert.deepStrictEqual(yield* files.readDirectory(at), ["dead"], "another folder is read")

        const writer = fs.openSync(pipe, fs.constants.O_WRONLY)
        const again = files
          .readFileString(join(dead, "file"))
          .pipe(Effect.option, Effect.repeat({ until: (text) => text._tag === "Some" }))
        yield* again
        fs.closeSync(writer)
        while (isOpen(pipe)) yield* Effect.promise(() => new Promise(setImmediate))
      }).pipe(Effect.scoped, Effect.provide(limited))
  )

  it.effect("nothing is read any more when each thread for files hangs, and the first of them is named", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const at = fs.realpathSync(yield* folder)
      const pipes = threads.map((name) => join(at, name, "pipe"))
      for (const pipe of pipes) {
        fs.mkdirSync(join(pipe, ".."))
        execFileSync("mkfifo", [pipe])
        yield* Effect.forkChild(openFile(pipe), { startImmediately: true })
      }
      yield* TestClock.adjust("30 seconds")
      const refused = yield* Effect.flip(files.readDirectory("/"))
      for (const pipe of pipes) fs.closeSync(fs.openSync(pipe, fs.constants.O_WRONLY))
      assert.include(refused.message, `not before ${pipes[0]} answers`)
      yield* Effect.repeat(Effect.option(files.readDirectory("/")), { until: (names) => names._tag === "Some" })
    }).pipe(Effect.scoped, Effect.provide(limited))
  )

  it.effect("a file of others whose read hangs is refused, with its name and the limit", () => {
    const begun = Deferred.makeUnsafe<void>()
    const answered = Deferred.makeUnsafe<never>()
    const hanging = Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (files) => ({
        ...files,
        open: (path: string, options?: Parameters<typeof files.open>[1]) =>
          Effect.map(files.open(path, options), (file) =>
            Object.assign(Object.create(file) as FileSystem.File, {
              read: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answered))
            })
          )
      }))
    ).pipe(Layer.provide(NodeFileSystem.layer))
    return Effect.gen(function* () {
      const path = join(fs.realpathSync(yield* folder), "session.jsonl")
      fs.writeFileSync(path, "{}\n", { mode: 0o600 })
      const reading = yield* Effect.forkChild(Effect.flip(readTrusted(path, { atMost: 10 })))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("30 seconds")
      const { message } = yield* Fiber.join(reading)
      yield* Deferred.interrupt(answered)
      assert.strictEqual(message, `${path}: it cannot be read (it did not answer within 30 s)`)
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(TrustedFiles.layerLimited, hanging)))
  })

  it.live("a process ends with its code although every thread for files hangs", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const pipes = threads.map((name) => join(at, name))
      execFileSync("mkfifo", pipes)
      const fixture = fileURLToPath(new URL("fixtures/hanging.ts", import.meta.url))
      const { signal, status, stderr } = spawnSync(process.execPath, [fixture, ...pipes], { timeout: 60_000 })
      assert.deepStrictEqual([status, signal], [7, null], String(stderr))
    }).pipe(Effect.scoped)
  )
})
