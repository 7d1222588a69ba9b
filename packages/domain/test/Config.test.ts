import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Path, Schema } from "effect"
import { configKeys, findConfig, parseConfigFile } from "../src/Config.ts"

const values = (text: string) => Object.fromEntries([...parseConfigFile(text).values].map(([key, { value }]) => [key, value]))

it("reads KEY=value with spaces, comments, blank lines, any line end and a byte order mark", () => {
  const text =
    "\u{feff}# a comment\r\n\r\n  FORCE_COMPACT = 300000 \n\t# another\n#FORCE_COMPACT=1\nNOTIFY_COMMAND=/bin/tell --to=me # you\n"
  assert.deepStrictEqual(values(text), { FORCE_COMPACT: "300000", NOTIFY_COMMAND: "/bin/tell --to=me # you" })
  assert.deepStrictEqual(parseConfigFile(text).warnings, [])
  assert.strictEqual(parseConfigFile(text).values.get("FORCE_COMPACT")?.line, 3)
})

it("keys are case-sensitive", () => {
  assert.deepStrictEqual(values("force_compact=1\nForce_Compact=2"), {})
  assert.strictEqual(parseConfigFile("force_compact=1\nForce_Compact=2").warnings.length, 2)
})

it("names line and key of each thing that is wrong", () => {
  const { warnings } = parseConfigFile("nonsense\n=5\nFORCE_COMPAKT=9\nFORCE_COMPACT=1\nFORCE_COMPACT=2\nTRIM_CHARS=")
  assert.strictEqual(warnings.length, 5)
  assert.match(warnings[0]!, /^line 1: /)
  assert.match(warnings[1]!, /^line 2: /)
  assert.match(warnings[2]!, /^line 3: .*FORCE_COMPAKT/)
  assert.match(warnings[3]!, /^line 5: FORCE_COMPACT .*line 4/)
  assert.match(warnings[4]!, /^line 6: TRIM_CHARS /)
})

it("the last of a repeated key wins, also when it is empty", () => {
  assert.deepStrictEqual(values("FORCE_COMPACT=1\nFORCE_COMPACT=2"), { FORCE_COMPACT: "2" })
  assert.deepStrictEqual(values("FORCE_COMPACT=\nFORCE_COMPACT=2"), { FORCE_COMPACT: "2" })
  assert.deepStrictEqual(values("FORCE_COMPACT=1\nFORCE_COMPACT="), {})
})

it("repeats nothing of a line that it does not understand", () => {
  for (const line of ["sk-ant-secret123", "export TOKEN sk-ant-secret123", "sk-ant-secret123=x", "MY_KEY=sk-ant-secret123"]) {
    const { warnings } = parseConfigFile(line)
    assert.strictEqual(warnings.length, 1)
    assert.notInclude(warnings[0], "secret123")
  }
})

it.prop("never throws, keeps known keys only, and warns or takes every line that says something", [Schema.String], ([text]) => {
  const parsed = parseConfigFile(text)
  for (const key of parsed.values.keys()) assert.include(configKeys, key)
  const said = text
    .replace(/^\u{feff}/u, "")
    .split(/[\r\n]+/)
    .filter((line) => !/^\s*(#.*)?$/.test(line))
  assert.isAtLeast(parsed.warnings.length + parsed.values.size, said.length)
})

layer(NodeServices.layer)("findConfig", (it) => {
  const project = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const parent = yield* fs.makeTempDirectoryScoped()
    const dir = path.join(parent, "project")
    const config = Effect.fnUntraced(function* (folder: string, content: string | Uint8Array) {
      yield* fs.makeDirectory(path.join(folder, ".orchestra_configs"), { recursive: true })
      const file = path.join(folder, ".orchestra_configs", "souffleur")
      yield* fs.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content)
      return file
    })
    yield* fs.makeDirectory(dir)
    return { parent, dir, config, fs, path }
  })
  const unreadable = Effect.fnUntraced(function* (dir: string) {
    const found = yield* findConfig(dir)
    assert.strictEqual(found.values.size, 0)
    assert.strictEqual(found.warnings.length, 1)
    assert.isNotNull(found.source)
    return found
  })

  it.effect("no file: nothing, and no warning", () =>
    Effect.gen(function* () {
      const { dir } = yield* project
      assert.deepStrictEqual(yield* findConfig(dir), { values: new Map(), warnings: [], source: null })
    })
  )

  it.effect("the project's file wins whole over its parent's, which is used when it stands alone", () =>
    Effect.gen(function* () {
      const { dir, parent, config } = yield* project
      const above = yield* config(parent, "FORCE_COMPACT=1\nTRIM_CHARS=5")
      assert.strictEqual((yield* findConfig(dir)).source, above)
      const own = yield* config(dir, "FORCE_COMPACT=2")
      const found = yield* findConfig(dir)
      assert.strictEqual(found.source, own)
      assert.deepStrictEqual([...found.values], [["FORCE_COMPACT", { value: "2", line: 1 }]])
    })
  )

  it.effect("a grandparent's file is not asked", () =>
    Effect.gen(function* () {
      const { dir, parent, config, fs, path } = yield* project
      yield* config(parent, "FORCE_COMPACT=1")
      const below = path.join(dir, "below")
      yield* fs.makeDirectory(below)
      assert.isNull((yield* findConfig(below)).source)
    })
  )

  it.effect("what is there and cannot be read gives the defaults, never the parent's values", () =>
    Effect.gen(function* () {
      const { dir, parent, config, fs, path } = yield* project
      yield* config(parent, "FORCE_COMPACT=1")
      const own = yield* config(dir, Uint8Array.of(0x46, 0xff, 0xfe))
      assert.match((yield* unreadable(dir)).warnings[0]!, /UTF-8/)
      yield* fs.writeFileString(own, "#".repeat(1_000_001))
      assert.match((yield* unreadable(dir)).warnings[0]!, /larger/)
      yield* fs.remove(own)
      yield* fs.makeDirectory(own)
      assert.match((yield* unreadable(dir)).warnings[0]!, /regular/)
      yield* fs.remove(own, { recursive: true })
      yield* fs.symlink(path.join(dir, "nowhere"), own)
      yield* unreadable(dir)
      yield* fs.remove(path.dirname(own), { recursive: true })
      yield* fs.writeFileString(path.dirname(own), "a file where the folder should be")
      yield* unreadable(dir)
    })
  )
})
