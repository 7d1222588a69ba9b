import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { runProgram } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
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
