import { assert, it } from "@effect/vitest"
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

it.live("concurrent writers leave no gap in the kept lines, however often the file is cut", () =>
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
    const text = fs.readFileSync(path, "utf8")
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
    assert.isBelow(text.length, 400_000)
    assert.deepStrictEqual(fs.readdirSync(folder), ["a.jsonl"])
  }).pipe(Effect.scoped)
)

it("a line that was written into a file while it was replaced is written again, into its replacement", () => {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "souffleur-signs-"))
  const [path, write] = [join(folder, "a.jsonl"), fsModule.writeSync]
  fs.writeFileSync(path, "older\n")
  let opened = 0
  const meddling = (...asked: Parameters<typeof fs.writeSync>) => {
    opened += 1
    // It is opened, and not written to yet: somebody cuts it.
    if (opened === 1) {
      fs.writeFileSync(`${path}.new`, "newer\n")
      fs.renameSync(`${path}.new`, path)
    }
    return write(...asked)
  }
  try {
    Object.assign(fsModule, { writeSync: meddling })
    syncBuiltinESMExports()
    appendSign(path, "line\n")
    assert.deepStrictEqual([fs.readFileSync(path, "utf8"), opened], ["newer\nline\n", 2])
  } finally {
    Object.assign(fsModule, { writeSync: write })
    syncBuiltinESMExports()
    fs.rmSync(folder, { recursive: true })
  }
})
