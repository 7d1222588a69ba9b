import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import fsModule, * as fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as os from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { appendSign } from "../src/files/SignFile.ts"
import { builtProgram } from "./fixtures/BuiltProgram.ts"

const program = await builtProgram(fileURLToPath(new URL("fixtures/appendSigns.ts", import.meta.url)))

/** Runs a function with another function of `node:fs`, which gets the real one before its arguments. */
const meddled = <Name extends "closeSync" | "renameSync" | "writeSync">(
  name: Name,
  other: (real: (typeof fs)[Name], ...asked: Parameters<(typeof fs)[Name]>) => unknown,
  run: (path: string) => void
) => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur-signs-"))
  const real = fsModule[name]
  try {
    Object.assign(fsModule, { [name]: (...asked: Parameters<(typeof fs)[Name]>) => other(real, ...asked) })
    syncBuiltinESMExports()
    run(join(folder, "a.jsonl"))
  } finally {
    Object.assign(fsModule, { [name]: real })
    syncBuiltinESMExports()
    fs.rmSync(folder, { recursive: true })
  }
}

describe("behaviour#hooks-of-the-agent", () => {
  it("as many sessions as an agent makes up leave no more files than are read", () => {
    const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur-signs-"))
    for (let n = 0; n < 620; n += 1) appendSign(join(folder, `${n}.jsonl`), "{}\n")
    const left = fs.readdirSync(folder)
    fs.rmSync(folder, { recursive: true })
    assert.isAtMost(left.length, 500)
    assert.include(left, "619.jsonl")
  })
  it.live("concurrent writers leave no gap in the kept lines, however often the older file is replaced", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => fs.mkdtempSync(join(os.tmpdir(), "souffleur-signs-"))),
        (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
      )
      const [path, writers, count] = [join(folder, "a.jsonl"), ["a", "b", "c", "d"], 3000]
      const codes = yield* Effect.forEach(
        writers,
        (name) =>
          Effect.promise(
            () =>
              new Promise((resolve) =>
                spawn(process.execPath, [program, path, name, String(count)], { stdio: "inherit" }).on("exit", resolve)
              )
          ),
        { concurrency: writers.length }
      )
      assert.deepStrictEqual(codes, [0, 0, 0, 0])
      // The last append of all may have replaced the older file: then there is no newer one.
      const text = fs.readFileSync(`${path}.1`, "utf8") + (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "")
      const found = new Map<string, Set<number>>()
      for (const line of text.trimEnd().split("\n")) {
        const [, name = "", n = ""] = /^([a-d]) (\d+) x{1000}$/u.exec(line) ?? assert.fail(`torn: ${line.slice(0, 60)}`)
        found.set(name, (found.get(name) ?? new Set()).add(Number(n)))
      }
      // The newest bytes are kept, and each writer wrote one line after the other.
      for (const [name, numbers] of found) {
        const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
        assert.strictEqual(last, count - 1, name)
        assert.strictEqual(numbers.size, last - first + 1, `${name} lost some from ${first} on`)
      }
      assert.isAbove(text.length, 131_000)
      assert.includeMembers(["a.jsonl", "a.jsonl.1"], fs.readdirSync(folder))
      // A writer that is alone leaves no large file.
      appendSign(path, "line\n")
      assert.isAtMost(fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0, 131_072)
    }).pipe(Effect.scoped)
  )
  it("a line that was written into a file that was removed meanwhile is written again", () => {
    let [asked, path] = [0, ""]
    meddled(
      "writeSync",
      (write, ...call) => {
        asked += 1
        // It is opened, and not written to yet: somebody removes it.
        if (asked === 1) fs.rmSync(path)
        return write(...call)
      },
      (given) => {
        path = given
        fs.writeFileSync(path, "older\n")
        asked = 0
        appendSign(path, "line\n")
        assert.deepStrictEqual([fs.readFileSync(path, "utf8"), asked], ["line\n", 2])
      }
    )
  })
  it("a writer that finds a file too large, which another one has replaced meanwhile, keeps the older one", () => {
    const full = "x".repeat(140_000)
    let path = ""
    let others = 0
    meddled(
      "closeSync",
      (close, file) => {
        close(file)
        others += 1
        // This writer has seen the size, and another one is faster.
        if (others === 1) {
          fs.renameSync(path, `${path}.1`)
          fs.writeFileSync(path, "newer\n")
        }
      },
      (given) => {
        path = given
        fs.writeFileSync(path, full)
        others = 0
        appendSign(path, "line\n")
        assert.strictEqual(fs.readFileSync(`${path}.1`, "utf8"), `${full}line\n`)
        assert.strictEqual(fs.readFileSync(path, "utf8"), "newer\n")
      }
    )
  })
  it("a second writer leaves a file alone that the first one replaces now", () => {
    const full = "x".repeat(140_000)
    let path = ""
    meddled(
      "renameSync",
      (rename, from, to) => {
        rename(from, to)
        // It is replaced, and its lock is there still.
        fs.writeFileSync(path, "y".repeat(140_000))
        if (to === `${path}.1`) appendSign(path, "second\n")
      },
      (given) => {
        path = given
        fs.writeFileSync(path, full)
        appendSign(path, "first\n")
        assert.strictEqual(fs.readFileSync(`${path}.1`, "utf8"), `${full}first\n`)
      }
    )
  })
})
