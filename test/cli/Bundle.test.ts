import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { bundle, stage } from "./CliStage.ts"

it("the bundle and its errands for hooks and comms are single executable files that import only Node's modules", () => {
  for (const file of ["souffleur.js", "hook.js", "comms.js"].map((name) => join(dirname(bundle), name))) {
    const text = fs.readFileSync(file, "utf8")
    const imported = [...text.matchAll(/^import [^"]*"([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
      ([, name, late]) => name ?? late!
    )
    assert.isAbove(imported.length, 2)
    for (const name of imported) assert.isTrue(isBuiltin(name), name)
    assert.match(text, /^#!\/usr\/bin\/env node\n/)
    assert.strictEqual(fs.statSync(file).mode & 0o111, 0o111)
  }
  assert.sameMembers(fs.readdirSync(dirname(bundle)), ["souffleur.js", "hook.js", "comms.js"])
})

it.live("the bundle runs alone in another folder", () =>
  Effect.gen(function* () {
    const folder = fs.mkdtempSync(join(tmpdir(), "souffleur-alone-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true })))
    const alone = join(folder, "souffleur.js")
    fs.copyFileSync(bundle, alone)
    const { status, stdout } = spawnSync(process.execPath, [alone, "config", "--json", "--project-dir", folder], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0)
    assert.strictEqual(JSON.parse(stdout)["force_compact_threshold_tokens"], 400_000)
  })
)

it("the bundle names a Node that is too old, in a sentence", () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--no-experimental-sqlite", bundle, "status"], {
    encoding: "utf8"
  })
  assert.deepStrictEqual([status, stdout], [2, ""])
  assert.strictEqual(stderr, `souffleur: Node >= 22.19 is needed, and this is ${process.version}\n`)
})

it.live("the demonstration runs to its end from the bundle alone, in a folder of its own", () =>
  Effect.gen(function* () {
    const the = yield* stage([])
    const version = yield* the.run(["--version"])
    assert.deepStrictEqual(version, { code: 0, lines: ["souffleur v0.1.0"], errors: "" })
    const { code, errors, lines } = yield* the.run(["demo"], { TMPDIR: the.home })
    assert.strictEqual(code, 0, `${errors}\n${lines.join("\n")}`)
    assert.strictEqual(errors, "")
    assert.match(lines.join("\n"), /One Conductor at a time, and no work lost/)
    // The commands that it suggests next work.
    const kept = lines.find((line) => line.includes("export SOUFFLEUR_STATE_DIR="))!.split("=")[1]!
    assert.isTrue(fs.existsSync(join(kept, "souffleur.db")))
  })
)
