import { assert, describe, it } from "@effect/vitest"
import { runProgram } from "@souffleur/process"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, type Scope } from "effect"
import { excludeOwn } from "../src/index.ts"
import { gitIn } from "./GitIn.ts"

/** A repository, and the sentences on the exclusion of its state file. */
const repository = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const git = gitIn(root)
  yield* git("init", "-q", "-b", "main")
  const exclude = `${root}/.git/info/exclude`
  return {
    fs,
    git,
    root,
    exclude,
    write: (name: string, text: string) => fs.writeFileString(`${root}/${name}`, text),
    lines: Effect.map(
      Effect.orElseSucceed(fs.readFileString(exclude), () => ""),
      (text) => text.split("\n")
    ),
    excludes: (state = "state.json") => excludeOwn(root, `${root}/${state}`, [`${root}/comms.db`])
  }
})
const live = (title: string, test: () => Effect.Effect<unknown, unknown, HostServices.HostServices | Scope.Scope>) =>
  it.live(title, () => Effect.provide(Effect.scoped(test()), HostServices.layer))

describe("behaviour#git", () => {
  live(
    "souffleur's files in a work tree are excluded there, once, so that no agent commits them; other files are untouched",
    () =>
      Effect.gen(function* () {
        const the = yield* repository()
        yield* the.fs.writeFileString(the.exclude, "*.log\n# no newline at its end\nmine")
        yield* the.fs.chmod(the.exclude, 0o640)
        yield* the.write(".gitignore", "*.o\n")
        const told = yield* the.excludes()
        assert.lengthOf(told, 1)
        assert.include(told[0], "state.json")
        for (const name of [
          "state.json",
          "state.json.backup",
          "state.json.kept-2026",
          "state.json.backup.kept-2026",
          "state.json.1f.tmp",
          "state.json.backup.1f.tmp",
          "comms.db",
          "comms.db-wal"
        ])
          yield* the.write(name, "{}")
        assert.strictEqual(yield* the.git("status", "--porcelain"), "?? .gitignore\n")
        const lines = yield* the.lines
        assert.deepStrictEqual(lines.slice(0, 3), ["*.log", "# no newline at its end", "mine"])
        assert.strictEqual((yield* the.fs.stat(the.exclude)).mode & 0o777, 0o640)
        assert.deepStrictEqual(yield* the.excludes(), [])
        assert.deepStrictEqual(yield* the.lines, lines)
        assert.strictEqual(yield* the.fs.readFileString(`${the.root}/.gitignore`), "*.o\n")
        yield* the.write(".gitignore", "*.o\n!/state.json\n")
        assert.deepStrictEqual(yield* the.excludes(), [], "what somebody wants to be seen is not said twice")
        // Another state file, of a name that is a pattern; the comment is there once.
        assert.lengthOf(yield* the.excludes("#st[a]te! .json"), 1)
        yield* the.write("#st[a]te! .json", "{}")
        yield* the.write("#state! .json", "a stranger's")
        assert.strictEqual(
          yield* the.git("status", "--porcelain"),
          '?? "#state! .json"\n?? .gitignore\n?? state.json\n'
        )
        assert.lengthOf(
          (yield* the.lines).filter((line) => line.startsWith("# souffleur")),
          1
        )
      })
  )

  live("a file that is ignored already, or lies elsewhere, is not excluded; a missing file of exclusions is made", () =>
    Effect.gen(function* () {
      const the = yield* repository()
      yield* the.fs.remove(`${the.root}/.git/info`, { recursive: true, force: true })
      yield* the.write(".gitignore", "state.json*\ncomms.db*\n")
      assert.deepStrictEqual(yield* the.excludes(), [])
      assert.deepStrictEqual(yield* the.excludes("../state.json"), [])
      assert.deepStrictEqual(yield* the.lines, [""])
      yield* the.write(".gitignore", "comms.db*\n")
      assert.lengthOf(yield* the.excludes(), 1)
      assert.include(yield* the.lines, "/state.json")
      assert.notInclude(yield* the.lines, "/comms.db")
    })
  )

  live("the exclusions of a linked work tree are the common ones, as git says", () =>
    Effect.gen(function* () {
      const the = yield* repository()
      yield* the.git("commit", "-q", "--allow-empty", "-m", "base")
      yield* the.git("worktree", "add", "-q", "side")
      const side = `${the.root}/side`
      assert.lengthOf(yield* excludeOwn(side, `${side}/pkg/state.json`, []), 1)
      assert.include(yield* the.lines, "/pkg/state.json")
      yield* the.fs.makeDirectory(`${side}/pkg`)
      yield* the.fs.writeFileString(`${side}/pkg/state.json`, "{}")
      assert.strictEqual(yield* the.git("-C", side, "status", "--porcelain"), "")
    })
  )

  live("nothing is written into a repository that a file names which knows nothing of this folder", () =>
    Effect.gen(function* () {
      const [other, here] = [yield* repository(), yield* repository()]
      const module = `${other.root}/.git/modules/here`
      yield* here.fs.makeDirectory(`${other.root}/.git/modules`)
      yield* here.fs.rename(`${here.root}/.git`, module)
      const points = (to: string) => here.fs.writeFileString(`${here.root}/.git`, `gitdir: ${to}\n`)
      yield* points(`${other.root}/.git`)
      const before = yield* other.lines
      const [told, ...more] = yield* here.excludes()
      assert.deepStrictEqual([more, yield* other.lines], [[], before])
      assert.match(told ?? "", /^warning: .*\.git names a repository that does not name this work tree/u)
      // The repository of a submodule names its work tree.
      yield* points(module)
      yield* here.git("config", "core.worktree", "../../../../" + here.root.slice(here.root.lastIndexOf("/") + 1))
      assert.match((yield* here.excludes())[0] ?? "", /^souffleur's files are excluded in .*modules\/here/u)
    })
  )

  live("a file that git tracks is told: no exclusion keeps it out of a commit", () =>
    Effect.gen(function* () {
      const the = yield* repository()
      yield* the.write("state.json", "{}")
      yield* the.git("add", "state.json")
      const told = yield* the.excludes()
      assert.lengthOf(
        told.filter((one) => one.startsWith("warning: git tracks state.json")),
        1
      )
    })
  )
})

describe("security#files-and-folders", () => {
  live(
    "exclusions go through no link, into no pipe, and into nothing that others may write: told, and the run goes on",
    () =>
      Effect.gen(function* () {
        const the = yield* repository()
        const target = `${the.root}/precious`
        const refused = (how: Effect.Effect<unknown, unknown, HostServices.HostServices>, why: RegExp) =>
          Effect.gen(function* () {
            yield* the.fs.remove(the.exclude, { force: true, recursive: true })
            yield* how
            const told = yield* the.excludes()
            assert.lengthOf(told, 1)
            assert.match(told[0]!, /^warning: .*info\/exclude/u)
            assert.match(told[0]!, why)
          })
        yield* the.fs.writeFileString(target, "precious\n")
        yield* refused(the.fs.symlink(target, the.exclude), /link/u)
        assert.strictEqual(yield* the.fs.readFileString(target), "precious\n")
        const mkfifo = runProgram({
          command: "mkfifo",
          args: [the.exclude],
          stdin: "",
          within: "30 seconds",
          atMost: 100
        })
        yield* refused(mkfifo, /no regular file/u)
        yield* refused(the.fs.makeDirectory(the.exclude), /no regular file/u)
        yield* refused(
          Effect.andThen(the.fs.writeFileString(the.exclude, ""), the.fs.chmod(the.exclude, 0o666)),
          /others may write/u
        )
        yield* refused(the.fs.chmod(`${the.root}/.git/info`, 0o777), /others may write/u)
        yield* the.fs.chmod(`${the.root}/.git/info`, 0o755)
        assert.match((yield* the.excludes())[0]!, /^souffleur's files/u)
      })
  )
})
