import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const source = new URL("../src/files/KeptScript.ts", import.meta.url).href

/** A program with one script, which calls a function of its own with the word "sum". */
const program = () => {
  const home = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "souffleur-scripts-")))
  const [kept, script] = [join(home, "kept"), join(home, "part.cjs")]
  fs.mkdirSync(kept)
  const write = (factor: number) =>
    fs.writeFileSync(
      script,
      `"use strict"
      const sum = (numbers) => { let all = 0; for (const one of numbers) all += one * ${factor}; return all }
      exports.act = (word) => console.log(word === "sum" ? sum([1, 2, 3]) : "nothing")
      exports.name = require("node:path").basename(__filename)
      exports.later = () => import("node:os").then((os) => console.log(typeof os.tmpdir))`
    )
  write(2)
  const main = `import { keepScripts } from ${JSON.stringify(source)}
    import { createRequire } from "node:module"
    const [home, kept, word] = process.argv.slice(1)
    keepScripts([home], kept, word === "dry" ? undefined : word)
    const part = createRequire(home + "/main.js")("./part.cjs")
    part.act(word)
    if (word === "later") await part.later()
    if (word === "fails") process.exitCode = 1`
  const run = (word: string, ...flags: ReadonlyArray<string>) => {
    const words = [...flags, "--no-warnings", "--input-type=module", "-e", main, home, kept, word]
    const { stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" })
    assert.strictEqual(stderr, "")
    return stdout.trim()
  }
  const file = join(kept, basename(script))
  const words = (): ReadonlyArray<string> =>
    JSON.parse(fs.readFileSync(file, "latin1").split("\n").at(-1)!).words as ReadonlyArray<string>
  return { kept, file, script, write, run, words, remove: () => fs.rmSync(home, { recursive: true }) }
}

describe("settings#compiled-code", () => {
  it("the code of a script is kept with the functions that ran, and taken again with a new word", () => {
    const the = program()
    assert.strictEqual(the.run("rest"), "nothing")
    const first = fs.statSync(the.file)
    assert.deepStrictEqual([the.words(), first.mode & 0o777], [["rest"], 0o600])
    assert.strictEqual(the.run("rest"), "nothing")
    assert.strictEqual(fs.statSync(the.file).ino, first.ino, "the same word takes nothing")
    assert.strictEqual(the.run("sum"), "12")
    assert.deepStrictEqual(the.words(), ["rest", "sum"])
    assert.isAbove(fs.statSync(the.file).size, first.size, "the function that ran is there")
    assert.strictEqual(the.run("rest"), "nothing")
    assert.deepStrictEqual(the.words(), ["rest", "sum"])
    assert.deepStrictEqual(fs.readdirSync(the.kept), ["part.cjs"])
    the.remove()
  })
  it("without a word kept code is used, and no file is written", () => {
    const the = program()
    assert.strictEqual(the.run("dry"), "nothing")
    assert.isEmpty(fs.readdirSync(the.kept))
    the.run("rest")
    const earlier = fs.statSync(the.script).ctimeMs
    // V8 compares the lengths of two texts alone, so the earlier code shows that it is used.
    fs.writeFileSync(the.script, fs.readFileSync(the.script, "utf8").replace('"nothing"', '"another"'))
    const kept = fs.readFileSync(the.file, "latin1").replace(String(earlier), String(fs.statSync(the.script).ctimeMs))
    fs.writeFileSync(the.file, kept, "latin1")
    assert.strictEqual(the.run("dry"), "nothing")
    assert.strictEqual(fs.readFileSync(the.file, "latin1"), kept)
    the.remove()
  })
  it("code of an earlier text, of other flags, or damaged code is not used", () => {
    const the = program()
    assert.strictEqual(the.run("sum"), "12")
    // V8 itself compares the lengths of two texts alone.
    the.write(3)
    assert.strictEqual(the.run("sum"), "18")
    const { ino } = fs.statSync(the.file)
    assert.strictEqual(the.run("sum", "--no-opt"), "18")
    assert.notStrictEqual(fs.statSync(the.file).ino, ino)
    const fitting = `"changed":${fs.statSync(the.script).ctimeMs}`
    for (const text of [
      "",
      "null",
      `{${fitting}}`,
      `code\n{${fitting},"words":1}`,
      `code\n{${fitting},"words":["sum"]}`
    ]) {
      fs.writeFileSync(the.file, text)
      assert.strictEqual(the.run("sum"), "18")
      assert.deepStrictEqual(the.words(), ["sum"])
    }
    the.remove()
  })
  it("a program that fails, or has no folder, keeps nothing and runs", () => {
    const the = program()
    assert.strictEqual(the.run("fails"), "nothing")
    assert.deepStrictEqual(fs.readdirSync(the.kept), [])
    fs.rmdirSync(the.kept)
    assert.strictEqual(the.run("sum"), "12")
    assert.isFalse(fs.existsSync(the.kept))
    the.remove()
  })
  it("a draft that was left by a killed start, or could not be kept, is removed", () => {
    const the = program()
    fs.writeFileSync(`${the.file}.4194304`, "half")
    assert.strictEqual(the.run("sum"), "12")
    assert.deepStrictEqual(fs.readdirSync(the.kept), ["part.cjs"])
    // Nothing takes the place of a folder.
    fs.rmSync(the.file)
    fs.mkdirSync(the.file)
    assert.strictEqual(the.run("sum"), "12")
    assert.deepStrictEqual(fs.readdirSync(the.kept), ["part.cjs"])
    the.remove()
  })
  it("a kept script imports modules later, and other scripts are compiled as they were", () => {
    const the = program()
    for (const _ of [1, 2]) assert.strictEqual(the.run("later"), "nothing\nfunction")
    assert.strictEqual((createRequire(the.script)(the.script) as { readonly name: string }).name, "part.cjs")
    the.remove()
  })
})
