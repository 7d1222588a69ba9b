import { assert, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { execFileSync } from "node:child_process"
import { headOf } from "../src/Commits.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim()

it.live("is what git rev-parse says: in a folder below, on a branch, detached, packed, in a worktree", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const root = yield* fs.makeTempDirectoryScoped()
    const [project, tree] = [`${root}/project`, `${root}/tree`]
    yield* fs.makeDirectory(`${project}/below`, { recursive: true })
    assert.strictEqual(yield* headOf(project), "")
    git(project, "init", "-q", "-b", "main")
    assert.strictEqual(yield* headOf(project), "")
    const heads = new Set<string>()
    const same = Effect.fnUntraced(function* (folder: string) {
      const head = yield* headOf(folder)
      assert.strictEqual(head, git(folder, "rev-parse", "HEAD"))
      heads.add(head)
    })
    git(project, "commit", "-q", "--allow-empty", "-m", "one")
    yield* same(`${project}/below`)
    git(project, "checkout", "-q", "-b", "a/branch")
    git(project, "commit", "-q", "--allow-empty", "-m", "two")
    yield* same(project)
    git(project, "pack-refs", "--all")
    yield* same(project)
    git(project, "worktree", "add", "-q", "-b", "other", tree)
    git(tree, "commit", "-q", "--allow-empty", "-m", "three")
    yield* same(tree)
    git(project, "checkout", "-q", "--detach", "HEAD~1")
    yield* same(project)
    assert.strictEqual(heads.size, 3)
  }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
)
