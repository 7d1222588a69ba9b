import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { createDurably, isDraft, replaceDurably, replaceWith } from "@souffleur/process"
import { Effect, FileSystem } from "effect"

const bytes = new TextEncoder().encode("new")

/** Makes a folder with a file, and records each act on files in order. */
const scene = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-durable-" })
  const path = `${folder}/file`
  yield* fs.writeFileString(path, "old")
  const acts: Array<string> = []
  const did = (act: string) => Effect.sync(() => void acts.push(act))
  const kind = (of: string) =>
    of === folder ? "folder" : of === path ? "file" : of.startsWith(`${path}.`) ? "draft" : "new"
  const watched = FileSystem.FileSystem.of({
    ...fs,
    open: (of, options) =>
      Effect.map(fs.open(of, options), (file) => ({
        ...file,
        writeAll: (all) => Effect.tap(file.writeAll(all), () => did(`write ${kind(of)}`)),
        sync: Effect.tap(file.sync, did(`sync ${kind(of)}`))
      })),
    rename: (from, to) => Effect.tap(fs.rename(from, to), () => did(`rename ${kind(from)}`))
  })
  const doing = Effect.provideService(FileSystem.FileSystem, watched)
  const modeOf = (of: string) => Effect.map(fs.stat(of), ({ mode }) => mode & 0o777)
  return { acts, doing, folder, fs, modeOf, path }
})

it.effect("a replaced file is on disk before it takes its name, then its name is; it is private to its user", () =>
  Effect.gen(function* () {
    const { acts, doing, folder, fs, modeOf, path } = yield* scene
    yield* doing(replaceDurably(path, "new"))
    assert.deepStrictEqual(acts, ["write draft", "sync draft", "rename draft", "sync folder"])
    assert.strictEqual(yield* fs.readFileString(path), "new")
    assert.strictEqual(yield* modeOf(path), 0o600)
    assert.deepStrictEqual(yield* fs.readDirectory(folder), ["file"])
  }).pipe(Effect.provide(NodeServices.layer))
)

it.effect("a failed draft leaves the file as it was, and no trace", () =>
  Effect.gen(function* () {
    const { folder, fs, path } = yield* scene
    const refused = yield* Effect.flip(
      replaceWith(path, ({ file }) => Effect.andThen(file.writeAll(bytes), Effect.fail("no")))
    )
    assert.strictEqual(refused, "no")
    assert.strictEqual(yield* fs.readFileString(path), "old")
    assert.deepStrictEqual(yield* fs.readDirectory(folder), ["file"])
  }).pipe(Effect.provide(NodeServices.layer))
)

it.effect("a new file and its name are on disk, private to its user; a taken name is refused", () =>
  Effect.gen(function* () {
    const { acts, doing, folder, fs, modeOf, path } = yield* scene
    yield* doing(createDurably(`${folder}/new`, bytes))
    assert.deepStrictEqual(acts, ["write new", "sync new", "sync folder"])
    assert.strictEqual(yield* modeOf(`${folder}/new`), 0o600)
    assert.strictEqual((yield* Effect.flip(createDurably(path, bytes))).reason._tag, "AlreadyExists")
    assert.strictEqual(yield* fs.readFileString(path), "old")
  }).pipe(Effect.provide(NodeServices.layer))
)

describe("behaviour#secrets", () => {
  it.effect("a draft is known by its name, and so is a temporary folder for drafts", () =>
    Effect.gen(function* () {
      const { fs, folder, path } = yield* scene
      const draft = yield* replaceWith(path, ({ path: draft }) => Effect.succeed(draft))
      const temporary = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: ".new-" })
      const name = (of: string) => of.slice(of.lastIndexOf("/") + 1)
      assert.deepStrictEqual(
        [draft, temporary, path, `${folder}/watch-1.new-2`, `${folder}/notes.tmp`].map((of) => isDraft(name(of))),
        [true, true, false, false, false]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
