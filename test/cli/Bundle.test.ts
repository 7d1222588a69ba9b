import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join } from "node:path"
import { bundle, stage } from "./Stage.ts"

it("is one folder with nothing to install: it imports what Node brings and its own files, and can be executed", () => {
  const files = fs.readdirSync(dirname(bundle))
  const imported = files.flatMap((file) => {
    const text = fs.readFileSync(join(dirname(bundle), file), "utf8")
    return [...text.matchAll(/^import [^"]*"([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(([, name, late]) => name ?? late!)
  })
  assert.isAbove(imported.filter(isBuiltin).length, 5)
  for (const name of imported) assert.isTrue(isBuiltin(name) || files.includes(name.replace(/^\.\//u, "")), name)
  assert.match(fs.readFileSync(bundle, "utf8"), /^#!\/usr\/bin\/env node\n/)
  assert.strictEqual(fs.statSync(bundle).mode & 0o111, 0o111)
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
    // What it says to try next can be tried.
    const kept = lines.find((line) => line.includes("export SOUFFLEUR_STATE_DIR="))!.split("=")[1]!
    assert.isTrue(fs.existsSync(join(kept, "souffleur.db")))
  })
)
