import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { runProgram } from "@souffleur/process"
import { Effect, FileSystem } from "effect"
import { commitChanges, gitIn as guardedGit, workChanges } from "../src/index.ts"
import { gitIn } from "./GitIn.ts"

const day = 86_400_000
const began = Date.parse("2026-03-02T00:00:00Z")

/** A repository whose only commit is of the day before the work began. */
const repository = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-changes-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(project)
  const git = gitIn(project)
  const write = (name: string, text: string) => fs.writeFileString(`${project}/${name}`, text)
  /** Commits all, `days` after the work began. */
  const commit = Effect.fnUntraced(function* (days: number) {
    const date = `@${(began + days * day) / 1000} +0000`
    yield* git("add", "-A")
    yield* runProgram({
      command: "git",
      args: ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-q", "-m", "work"],
      environment: { PATH: "/usr/bin:/bin", HOME: home, GIT_COMMITTER_DATE: date },
      stdin: "",
      within: "30 seconds",
      atMost: 1000
    })
  })
  yield* git("init", "-q", "-b", "main")
  yield* write("a.txt", "one\ntwo\nthree\n")
  yield* write("gone.txt", "gone\n")
  return { commit, fs, git, home, project, write }
})

describe("command-line#page", () => {
  it.live("the work since a moment is what was committed since, what was not, and what git does not know", () =>
    Effect.gen(function* () {
      const { commit, fs, git, project, write } = yield* repository
      yield* commit(-1)
      const base = (yield* git("rev-parse", "HEAD")).trim()
      yield* write("a.txt", "one\n2\nthree\n")
      yield* write("my file.txt", "new\n")
      yield* commit(1)
      yield* fs.remove(`${project}/gone.txt`)
      yield* write("fresh.md", "+ not a head\ndiff --git a/a.txt b/a.txt\n")
      yield* fs.writeFile(`${project}/picture`, new Uint8Array([0, 1, 2]))
      const changes = yield* workChanges(project, began)
      assert.deepStrictEqual([changes.base, changes.more], [base, 0])
      assert.deepStrictEqual(
        changes.files.map(({ added, path, removed, untracked }) => [path, added, removed, untracked]),
        [
          ["a.txt", 1, 1, false],
          ["gone.txt", 0, 1, false],
          ["my file.txt", 1, 0, false],
          ["fresh.md", 2, 0, true],
          ["picture", null, null, true]
        ]
      )
      assert.deepStrictEqual(
        changes.files.map(({ patch }) => patch?.trim()),
        [
          "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
          "@@ -1 +0,0 @@\n-gone",
          "@@ -0,0 +1 @@\n+new",
          "++ not a head\n+diff --git a/a.txt b/a.txt",
          undefined
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("a name that git writes in quotes has its lines too, and one that is a pattern is its own file alone", () =>
    Effect.gen(function* () {
      const { commit, project, write } = yield* repository
      yield* commit(-1)
      const names = [
        "*",
        ":!a.txt",
        "-p",
        'a "b"',
        "back\\slash",
        "bell\u0007",
        "del\u007f",
        "line\nbreak",
        "tab\tbed",
        "ä\u202e"
      ]
      for (const name of names) yield* write(name, "new\n")
      yield* commit(1)
      const { files } = yield* workChanges(project, began)
      assert.sameDeepMembers(
        files.map(({ patch, path }) => [path, patch?.trim()]),
        names.map((name) => [name, "@@ -0,0 +1 @@\n+new"])
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("the work of a task is what its commits changed since its base, whatever the work tree has by now", () =>
    Effect.gen(function* () {
      const { commit, git, project, write } = yield* repository
      const head = Effect.map(git("rev-parse", "HEAD"), (text) => text.trim())
      yield* commit(-1)
      const base = yield* head
      yield* write("a.txt", "one\n2\nthree\n")
      yield* write(".gitattributes", "*.txt diff=evil\n")
      yield* git("config", "diff.evil.textconv", `touch ${project}/ran; cat`)
      yield* git("config", "diff.evil.command", `touch ${project}/ran`)
      yield* commit(1)
      const done = yield* head
      yield* write("a.txt", "other\n")
      yield* write("fresh.md", "not committed\n")
      yield* commit(2)
      const patches = (found: {
        readonly files: ReadonlyArray<{ readonly path: string; readonly patch: string | null }>
      }) => found.files.map(({ patch, path }) => [path, patch?.trim()])
      const task = yield* commitChanges(project, { base, head: done })
      assert.strictEqual(task.base, base)
      assert.deepInclude(patches(task), ["a.txt", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"])
      assert.notInclude(
        task.files.map(({ path }) => path),
        "fresh.md"
      )
      const now = yield* commitChanges(project, { base: done, head: null })
      assert.deepStrictEqual(
        now.files.map(({ path }) => path),
        ["a.txt", "fresh.md"]
      )
      const all = yield* commitChanges(project, { base: null, head: base })
      assert.deepStrictEqual(
        all.files.map(({ path }) => path),
        ["a.txt", "gone.txt"]
      )
      assert.isFalse(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(`${project}/ran`)))
      for (const head of ["--output=x", "main", "0000000000"])
        assert.include((yield* Effect.flip(commitChanges(project, { base, head }))).message, "git does not tell")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("a repository that begins later is new as a whole, and a folder without one is a sentence", () =>
    Effect.gen(function* () {
      const { commit, home, project } = yield* repository
      const none = yield* workChanges(project, began)
      assert.deepStrictEqual([none.base, none.files.map(({ path }) => path)], [null, ["a.txt", "gone.txt"]])
      yield* commit(1)
      const all = yield* workChanges(project, began)
      assert.deepStrictEqual([all.base, all.files.map(({ untracked }) => untracked)], [null, [false, false]])
      const { message } = yield* Effect.flip(workChanges(home, began))
      assert.include(message, "not a git repository")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("a difference that is too large is counted, and its text is not read", () =>
    Effect.gen(function* () {
      const { commit, project, write } = yield* repository
      yield* commit(-1)
      const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}\n`).join("")
      yield* write("a.txt", numbers(2_000))
      yield* write("gone.txt", numbers(1_000))
      for (let n = 0; n < 620; n++) yield* write(`n${n}`, "x\n")
      const { files, more } = yield* workChanges(project, began)
      assert.deepStrictEqual(
        files.slice(0, 2).map(({ added, patch }) => [added, patch === null]),
        [
          [1997 + 3, true],
          [1000, false]
        ]
      )
      assert.deepStrictEqual([files.length, more], [500, 122])
      assert.lengthOf(
        files.filter(({ patch }) => patch !== null),
        101
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("a difference beyond what is read of git is counted, and no text of a file is taken for a count", () =>
    Effect.gen(function* () {
      const { commit, project, write } = yield* repository
      yield* commit(-1)
      yield* write("a.txt", "y".repeat(33_000_000))
      // git takes a file for text whose first 8,000 bytes have no NUL.
      yield* write("gone.txt", `${"y".repeat(9_000)}\0${"1\t1\tfeigned\0"}\n`)
      const { files } = yield* workChanges(project, began)
      assert.deepStrictEqual(
        files.map(({ added, path, patch }) => [path, added, patch]),
        [
          ["a.txt", 1, null],
          ["gone.txt", 1, null]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("security#a-plan-and-its-agents: a repository that is looked at runs nothing that it names", () =>
    Effect.gen(function* () {
      const { commit, fs, git, home, project, write } = yield* repository
      yield* write(".gitattributes", "* filter=evil diff=evil\n")
      yield* commit(-1)
      const evil = `${home}/evil`
      yield* fs.writeFileString(evil, `#!/bin/sh\necho "$*" >> ${home}/ran\ncat\n`, { mode: 0o755 })
      for (const [key, value] of Object.entries({
        "core.fsmonitor": evil,
        "core.pager": evil,
        "diff.external": evil,
        "diff.evil.command": evil,
        "diff.evil.textconv": evil,
        "diff.noprefix": "true",
        "diff.relative": "true",
        "filter.evil.clean": evil,
        "filter.evil.smudge": evil,
        "filter.evil.required": "true",
        "color.ui": "always"
      }))
        yield* git("config", key, value)
      yield* write("a.txt", "one\nother\nthree\n")
      yield* write("new.txt", "new\n")
      yield* fs.symlink("/etc/hostname", `${project}/link`)
      yield* Effect.promise(async () =>
        (await import("node:child_process")).execFileSync("mkfifo", [`${project}/pipe`])
      )
      const { files } = yield* workChanges(project, began)
      assert.deepStrictEqual(
        files.map(({ patch, path }) => [path, patch?.includes("other") ?? null]),
        [
          ["a.txt", true],
          ["link", null],
          ["new.txt", false]
        ]
      )
      assert.isFalse(yield* fs.exists(`${home}/ran`))
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
  it.live("security#a-plan-and-its-agents: no name of a filter escapes, in whatever bytes it is written", () =>
    Effect.gen(function* () {
      const { commit, fs, home, project, write } = yield* repository
      const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))
      // None, one with a line separator of Unicode, and one that is no UTF-8.
      const names = ["", "a\u00e2\u0080\u00a8b", "b\u00ff"]
      yield* commit(-1)
      yield* write("a.txt", "one\nother\nthree\n")
      for (const name of names) {
        const section = `[filter "${name}"]\n\tclean = touch ${home}/ran; cat\n`
        yield* fs.writeFile(`${project}/.git/config`, bytes(section), { flag: "a" })
        yield* fs.writeFile(`${project}/.gitattributes`, bytes(`a.txt filter=${name}\n`))
        const { files } = yield* workChanges(project, began)
        assert.include(files.find(({ path }) => path === "a.txt")?.patch, "+other")
        // Where the user's own filters are to work, those of the repository are named and turned off.
        const filtered = yield* Effect.result((yield* guardedGit(project)).filtered(["diff", "--numstat", "HEAD"]))
        assert.strictEqual(filtered._tag, name === names[2] ? "Failure" : "Success", JSON.stringify(filtered))
        assert.isFalse(yield* fs.exists(`${home}/ran`), name)
      }
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
