import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { runProgram } from "@souffleur/process"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { gitOf, GitUnusable } from "../src/index.ts"
import { gitIn } from "./GitIn.ts"

describe("behaviour#git", () => {
  it.live("a repository without a commit has no HEAD; where git gives no answer, HEAD is unknown", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const project = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const run = gitIn(project)
      yield* run("init", "-q", "-b", "main")
      const git = yield* gitOf(project, () => [])
      assert.isNull(yield* git.head)
      assert.deepStrictEqual(yield* git.since(null), { commits: [], files: [] })
      yield* run("commit", "-q", "--allow-empty", "-m", "first")
      const head = yield* git.head
      assert.match(head ?? "", /^[0-9a-f]{40}$/u)
      yield* fs.writeFileString(`${project}/.git/HEAD`, "garbage")
      for (const answer of [git.head, git.since(null), git.since(head)]) {
        const error = yield* Effect.flip<unknown, GitUnusable, never>(answer)
        assert.instanceOf(error, GitUnusable)
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a folder with a line break in its name is the root of its work tree", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const project = `${yield* fs.realPath(yield* fs.makeTempDirectoryScoped())}/a\nb`
      yield* fs.makeDirectory(project)
      yield* gitIn(project)("init", "-q", "-b", "main")
      const git = yield* gitOf(project, () => [])
      assert.strictEqual(git.root, project)
      assert.isNull(yield* git.underWay)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live(
    "git's own words are told where it finds no work tree: none, a bare one, its own folder, another user's, no git",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const run = gitIn(folder)
        const why = (project: string) => Effect.map(Effect.flip(gitOf(project, () => [])), (error) => error.problem)
        assert.match(yield* why(folder), /not a git repository.*: make one with git init$/u)
        yield* run("init", "-q", "--bare", "bare")
        yield* run("init", "-q", "own")
        for (const where of ["bare", "own/.git"]) {
          const said = yield* why(`${folder}/${where}`)
          assert.match(said, /must be run in a work tree/u)
          assert.notInclude(said, "git init")
        }
        const none = ConfigProvider.layer(ConfigProvider.fromUnknown({ PATH: folder, HOME: folder }))
        assert.match(yield* Effect.provide(why(`${folder}/own`), none), /there is no program git in PATH/u)
        if (
          (yield* runProgram({ command: "id", args: ["-u"], stdin: "", within: "30 seconds", atMost: 100 })).trim() !==
          "0"
        )
          return
        yield* fs.chown(`${folder}/own`, 4242, 4242)
        const dubious = yield* why(`${folder}/own`)
        assert.match(dubious, /dubious ownership/u)
        assert.notInclude(dubious, "git init")
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live(
    "files are named from the project's folder on, whatever folder of its repository that is: those beside it with ../",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const run = gitIn(root)
        const write = (name: string, text: string) => fs.writeFileString(`${root}/${name}`, text)
        yield* run("init", "-q", "-b", "main")
        yield* fs.makeDirectory(`${root}/pkg/ä b`, { recursive: true })
        yield* fs.makeDirectory(`${root}/pkg/other`)
        yield* write("top.txt", "1")
        yield* run("add", "-A")
        yield* run("commit", "-q", "-m", "base")
        const base = (yield* run("rev-parse", "HEAD")).trim()
        for (const name of ["pkg/ä b/t1.txt", "pkg/ä b/state.json", "pkg/other/o.txt", "pkg.txt"])
          yield* write(name, "1")
        yield* run("add", "-A")
        yield* run("commit", "-q", "-m", "work")
        const git = yield* gitOf(`${root}/pkg/ä b`, () => ["pkg/ä b/state.json"])
        assert.strictEqual(git.root, root)
        const made = ["../../pkg.txt", "../other/o.txt", "t1.txt"]
        assert.sameMembers([...(yield* git.since(base)).files], made)
        assert.sameMembers([...(yield* git.since(null)).files], [...made, "../../top.txt"])
        // A name is looked for from the folder that git told it for.
        for (const name of made) assert.isTrue(yield* git.has(name), name)
        for (const name of ["pkg/ä b/t1.txt", "top.txt", "../t1.txt", "../ä b/t1.txt", "."])
          assert.isFalse(yield* git.has(name), name)
        for (const name of ["pkg/ä b/t1.txt", "top.txt"]) yield* write(name, "2")
        assert.sameMembers([...(yield* git.status).changed], ["t1.txt", "../../top.txt"])
        for (const name of ["pkg/ä b/new.txt", "pkg/other/new.txt"]) yield* write(name, "1")
        assert.sameMembers([...(yield* git.untracked)], ["new.txt", "../other/new.txt"])
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("files with conflicts are named from the project's folder on", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const run = gitIn(root)
      const commit = Effect.fnUntraced(function* (text: string) {
        for (const name of ["a/in.txt", "out.txt"]) yield* fs.writeFileString(`${root}/${name}`, text)
        yield* run("add", "-A")
        yield* run("commit", "-q", "-m", text)
      })
      yield* run("init", "-q", "-b", "main")
      yield* fs.makeDirectory(`${root}/a`)
      yield* commit("base")
      yield* run("checkout", "-q", "-b", "side")
      yield* commit("side")
      yield* run("checkout", "-q", "main")
      yield* commit("main")
      yield* Effect.ignore(run("merge", "-q", "side"))
      const { conflicts } = yield* (yield* gitOf(`${root}/a`, () => [])).status
      assert.sameMembers([...conflicts], ["in.txt", "../out.txt"])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
