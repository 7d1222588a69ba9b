import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { execFileSync } from "node:child_process"
import { commitAt } from "../src/solo/Commits.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
    cwd,
    encoding: "utf8",
    stdio: "pipe"
  }).trim()

describe("behaviour#retries", () => {
  it.live("the commit is that of git rev-parse: in a folder below, on a branch, detached, packed, in a worktree", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* fs.makeTempDirectoryScoped()
      const [project, tree] = [`${root}/project`, `${root}/tree`]
      yield* fs.makeDirectory(`${project}/below`, { recursive: true })
      assert.strictEqual(yield* commitAt(project), "")
      git(project, "init", "-q", "-b", "main")
      assert.strictEqual(yield* commitAt(project), "")
      const heads = new Set<string>()
      const same = Effect.fnUntraced(function* (folder: string) {
        const head = yield* commitAt(folder)
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

  it.live("a commit is seen where git keeps its branches in reftables, also from a worktree", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* fs.makeTempDirectoryScoped()
      const tree = `${root}/.git/worktrees/tree`
      for (const folder of [`${root}/.git/reftable`, `${tree}/reftable`, `${root}/tree`])
        yield* fs.makeDirectory(folder, { recursive: true })
      for (const folder of [`${root}/.git`, tree])
        yield* fs.writeFileString(`${folder}/HEAD`, "ref: refs/heads/.invalid\n")
      yield* fs.writeFileString(`${tree}/commondir`, "../..\n")
      yield* fs.writeFileString(`${root}/tree/.git`, `gitdir: ${tree}\n`)
      const seen: Array<ReadonlyArray<string>> = []
      for (const tables of ["0x01-0x01-a.ref\n", "0x01-0x01-a.ref\n0x02-0x02-b.ref\n"]) {
        yield* fs.writeFileString(`${root}/.git/reftable/tables.list`, tables)
        seen.push([yield* commitAt(root), yield* commitAt(`${root}/tree`)])
      }
      assert.lengthOf(new Set(seen.map(([main]) => main)), 2)
      assert.lengthOf(new Set(seen.map(([, other]) => other)), 2)
      assert.notMatch(seen.flat().join(""), /\s/u)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("a pipe, device, link or huge file in .git is refused without waiting, and the error names it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* fs.makeTempDirectoryScoped()
      const odd = Effect.fnUntraced(function* (what: RegExp) {
        assert.match((yield* Effect.flip(commitAt(root))).message, what)
        yield* fs.remove(`${root}/.git`, { recursive: true })
      })
      const pipe = (path: string) => execFileSync("mkfifo", [path])
      pipe(`${root}/.git`)
      yield* odd(/\.git: it is no folder/)
      yield* fs.symlink("/dev/zero", `${root}/.git`)
      yield* odd(/\.git: it is a link/)
      yield* fs.makeDirectory(`${root}/.git`)
      pipe(`${root}/.git/HEAD`)
      yield* odd(/HEAD: it is no regular file/)
      yield* fs.makeDirectory(`${root}/.git`)
      yield* fs.symlink("/dev/zero", `${root}/.git/HEAD`)
      yield* odd(/HEAD: it is a link/)
      yield* fs.makeDirectory(`${root}/.git`)
      yield* fs.writeFileString(`${root}/.git/HEAD`, "x".repeat(1_000_001))
      yield* odd(/HEAD: it is larger/)
      yield* fs.makeDirectory(`${root}/.git`)
      yield* fs.chmod(`${root}/.git`, 0o777)
      yield* odd(/others may write .* o-w/)
      // A shared repository is its group's.
      git(root, "init", "-q", "-b", "main", "--shared=group")
      git(root, "commit", "-q", "--allow-empty", "-m", "one")
      assert.strictEqual(yield* commitAt(root), git(root, "rev-parse", "HEAD"))
      yield* fs.remove(`${root}/.git/refs/heads/main`)
      pipe(`${root}/.git/refs/heads/main`)
      assert.match((yield* Effect.flip(commitAt(root))).message, /refs\/heads\/main: it is no regular file/)
      // The folder of a deleted branch is in the place of the packed one.
      yield* fs.remove(`${root}/.git/refs/heads/main`)
      yield* fs.makeDirectory(`${root}/.git/refs/heads/main`)
      yield* fs.writeFileString(`${root}/.git/packed-refs`, `${"a".repeat(40)} refs/heads/main\n`)
      assert.strictEqual(yield* commitAt(root), "a".repeat(40))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
