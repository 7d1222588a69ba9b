import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { runProgram } from "@souffleur/domain"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { gitOf, GitUnusable } from "../src/index.ts"

it.live("a repository without a commit has no HEAD; one whose git gives no answer has one that nobody knows", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
    const run = (...args: ReadonlyArray<string>) =>
      runProgram({ command: "git", args: ["-C", project, ...args], stdin: "", within: "30 seconds", atMost: 1_000_000 })
    yield* run("init", "-q", "-b", "main")
    const git = yield* gitOf(project, () => [])
    assert.isNull(yield* git.head)
    assert.deepStrictEqual(yield* git.since(null), { commits: [], files: [] })
    yield* run("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "first")
    const head = yield* git.head
    assert.match(head ?? "", /^[0-9a-f]{40}$/u)
    yield* fs.writeFileString(`${project}/.git/HEAD`, "garbage")
    for (const answer of [git.head, git.since(null), git.since(head)]) {
      const error = yield* Effect.flip<unknown, GitUnusable, never>(answer)
      assert.instanceOf(error, GitUnusable)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live(
  "where git finds no work tree, what git itself says of that is told: none there, a bare one, its own folder, another user's, no git",
  () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const run = (...args: ReadonlyArray<string>) =>
        runProgram({ command: "git", args: ["-C", folder, ...args], stdin: "", within: "30 seconds", atMost: 1_000_000 })
      const why = (project: string) => Effect.map(Effect.flip(gitOf(project, () => [])), (error) => error.why)
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
      if ((yield* runProgram({ command: "id", args: ["-u"], stdin: "", within: "30 seconds", atMost: 100 })).trim() !== "0") return
      yield* fs.chown(`${folder}/own`, 4242, 4242)
      const dubious = yield* why(`${folder}/own`)
      assert.match(dubious, /dubious ownership/u)
      assert.notInclude(dubious, "git init")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
