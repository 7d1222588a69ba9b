import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { basename, join } from "node:path"
import { bundle, stage } from "./CliStage.ts"
import { liveCase } from "./Live.ts"

/** A home without a cache that the user has chosen. */
const home = Effect.map(stage([]), (the) => {
  const { NODE_COMPILE_CACHE: _, ...environment } = the.environment
  const cache = join(the.home, ".cache", "souffleur")
  const run = Effect.fnUntraced(function* (args: ReadonlyArray<string> = ["status"], more = {}) {
    const child = the.exactly(process.execPath, [bundle, ...args], { ...environment, ...more })
    const { code } = yield* child.ended
    assert.deepStrictEqual([code, child.errors()], [0, ""])
    return fs.existsSync(cache) ? fs.readdirSync(cache) : []
  })
  return { home: the.home, cache, run }
})
const mode = (path: string) => (fs.statSync(path).mode & 0o777).toString(8)
/** Files of compiled code, which Node keeps in a folder of its own. */
const compiled = (path: string) =>
  fs.readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

describe("settings#compiled-code", () => {
  it.live("a command keeps its compiled code in a folder of this user alone, and --version and a hook keep none", () =>
    Effect.gen(function* () {
      const the = yield* home
      assert.deepStrictEqual(yield* the.run(["--version"]), [])
      assert.deepStrictEqual(yield* the.run(["hook"]), [])
      const [own = "", ...more] = yield* the.run()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(own, `${process.version}-${fs.statSync(bundle).ino}`)
      assert.deepStrictEqual([the.cache, join(the.cache, own)].map(mode), ["700", "700"])
      const kept = () => fs.readdirSync(join(the.cache, own)).toSorted()
      assert.deepStrictEqual(kept(), ["program.cjs", "status.cjs"])
      assert.deepStrictEqual(yield* the.run(["run", "--help"]), [own])
      assert.includeMembers(kept(), ["run.cjs", "program.cjs", "status.cjs"])
    })
  )

  liveCase("a cache that others may write, a linked cache and an impossible cache are not used", () =>
    Effect.gen(function* () {
      const the = yield* home
      const elsewhere = join(the.home, "elsewhere")
      fs.mkdirSync(elsewhere)
      fs.mkdirSync(join(the.home, ".cache"))
      fs.symlinkSync(elsewhere, the.cache)
      assert.deepStrictEqual(yield* the.run(), [])
      fs.rmSync(the.cache)
      fs.mkdirSync(the.cache)
      fs.chmodSync(the.cache, 0o777)
      assert.deepStrictEqual(yield* the.run(), [])
      fs.chmodSync(the.cache, 0o700)
      const own = join(the.cache, `${process.version}-${fs.statSync(bundle).ino}`)
      fs.symlinkSync(elsewhere, own)
      yield* the.run()
      fs.rmSync(own)
      fs.mkdirSync(own)
      fs.chmodSync(own, 0o777)
      yield* the.run()
      assert.strictEqual(compiled(own), 0)
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
      fs.rmSync(join(the.home, ".cache"), { recursive: true })
      fs.writeFileSync(join(the.home, ".cache"), "")
      assert.deepStrictEqual(yield* the.run(), [])
    })
  )

  it.live("the newest four caches are kept; a cache that the user has chosen is used in place of ours", () =>
    Effect.gen(function* () {
      const the = yield* home
      for (const [age, name] of ["v22.19.0-1", "v22.19.0-2", "v22.19.0-3", "v22.19.0-4", "v22.19.0-5"].entries()) {
        fs.mkdirSync(join(the.cache, name, "v1"), { recursive: true, mode: 0o700 })
        fs.utimesSync(join(the.cache, name), 1000 - age, 1000 - age)
      }
      const chosen = join(the.home, "chosen")
      assert.lengthOf(yield* the.run(["status"], { NODE_COMPILE_CACHE: chosen }), 5)
      const names = (fs.readdirSync(chosen, { recursive: true }) as ReadonlyArray<string>).map((name) => basename(name))
      assert.includeMembers(names, ["program.cjs", "status.cjs"])
      const kept = yield* the.run()
      assert.sameMembers(kept, [
        "v22.19.0-1",
        "v22.19.0-2",
        "v22.19.0-3",
        `${process.version}-${fs.statSync(bundle).ino}`
      ])
      const other = join(the.home, "other")
      yield* the.run(["status"], { XDG_CACHE_HOME: other })
      assert.deepStrictEqual(fs.readdirSync(join(other, "souffleur")), [kept.at(-1)])
    })
  )
})
