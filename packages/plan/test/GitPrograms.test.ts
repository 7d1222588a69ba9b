import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { runProgram } from "@souffleur/process"
import { ConfigProvider, Effect, FileSystem, Path, type Scope } from "effect"
import { gitIn } from "../src/git/GitProgram.ts"
import { gitOf } from "../src/index.ts"

/** A repository with two commits, and a program that leaves a mark each time it runs. */
const repository = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const at = (...parts: ReadonlyArray<string>) => path.join(home, ...parts)
  const project = at("project")
  const program = Effect.fnUntraced(function* (name: string, script: string) {
    yield* fs.writeFileString(at(name), `#!/bin/sh\n${script}\n`)
    yield* fs.chmod(at(name), 0o755)
    return at(name)
  })
  const run = (...args: ReadonlyArray<string>) =>
    runProgram({
      command: "git",
      args: [
        "-C",
        project,
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@localhost",
        "-c",
        "protocol.file.allow=always",
        ...args
      ],
      stdin: "",
      within: "30 seconds",
      atMost: 1_000_000
    })
  const commit = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(path.join(project, name), text)
    yield* run("add", "-A")
    yield* run("commit", "-q", "-m", "work")
    return (yield* run("rev-parse", "HEAD")).trim()
  })
  yield* fs.makeDirectory(project)
  yield* run("init", "-q", "-b", "main")
  const base = yield* commit({ "a.txt": "a\n", ".gitattributes": "*.txt filter=evil diff=evil\n" })
  const evil = yield* program("evil", `echo "$0 $*" >> ${at("ran")}; exit 1`)
  /** Returns the programs that ran since the last call. */
  const ran = Effect.gen(function* () {
    const text = yield* Effect.orElseSucceed(fs.readFileString(at("ran")), () => "")
    yield* fs.remove(at("ran"), { force: true })
    return text
  })
  return { fs, at, project, program, run, commit, base, evil, ran }
})

const live = (title: string, test: () => Effect.Effect<unknown, unknown, NodeServices.NodeServices | Scope.Scope>) =>
  it.live(title, () => Effect.provide(Effect.scoped(test()), NodeServices.layer))

describe("behaviour#git", () => {
  live("a sentence about git's failure has git's own reason, and no hint of git's about what souffleur set", () =>
    Effect.gen(function* () {
      const { project } = yield* repository
      const failed = yield* Effect.flip((yield* gitIn(project)).git(["log", "HEAD", "none"]))
      assert.match(failed.message, /unknown revision|ambiguous argument/u)
      assert.notMatch(failed.message, /graft|hint/u)
    })
  )
  describe("programs of a repository's own configuration are not run:", () => {
    live("monitors, hooks, filters, pagers, differs, signers, helpers", () =>
      Effect.gen(function* () {
        const { at, base, commit, evil, fs, project, ran, run } = yield* repository
        const head = yield* commit({ "b.txt": "b\n" })
        yield* fs.makeDirectory(at("hooks"))
        yield* fs.copyFile(evil, at("hooks", "post-index-change"))
        yield* fs.chmod(at("hooks", "post-index-change"), 0o755)
        const named = {
          "core.fsmonitor": evil,
          "core.hooksPath": at("hooks"),
          "core.pager": evil,
          "pager.status": evil,
          "core.editor": evil,
          "core.askPass": evil,
          "core.sshCommand": evil,
          "diff.external": evil,
          "diff.evil.textconv": evil,
          "diff.evil.command": evil,
          "diff.ignoreSubmodules": "all",
          "diff.relative": "true",
          "filter.evil.clean": evil,
          "filter.evil.smudge": evil,
          "filter.evil.process": evil,
          "filter.evil.required": "true",
          "gpg.program": evil,
          "log.showSignature": "true",
          "credential.helper": `!${evil}`,
          "alias.status": `!${evil}`
        }
        for (const [key, value] of Object.entries(named)) yield* run("config", key, value)
        // The file has another time and the same size: git must read it through its filter to compare it.
        yield* fs.utimes(`${project}/a.txt`, 1, 1)
        yield* Effect.ignore(run("status"))
        assert.include(yield* ran, "evil", "git by itself does run them")

        const git = yield* gitOf(project, () => [])
        assert.strictEqual(yield* git.head, head)
        assert.deepStrictEqual(yield* git.status, { conflicts: [], changed: [], branch: "main" })
        assert.deepStrictEqual(yield* git.since(base), { commits: [head], files: ["b.txt"] })
        assert.deepStrictEqual(yield* git.missing([base, head]), [])
        assert.strictEqual(yield* ran, "")
        // The same goes for a folder of it.
        yield* fs.makeDirectory(`${project}/folder`)
        assert.deepStrictEqual((yield* (yield* gitOf(`${project}/folder`, () => [])).since(base)).files, ["../b.txt"])
        yield* fs.writeFileString(`${project}/a.txt`, "c\n")
        assert.deepStrictEqual((yield* git.status).changed, ["a.txt"], "a change is seen as one")
        assert.strictEqual(yield* ran, "")
      })
    )
    live("programs of a submodule; a moved submodule is seen", () =>
      Effect.gen(function* () {
        const { at, commit, evil, fs, project, ran, run } = yield* repository
        const other = yield* repository
        yield* run("submodule", "--quiet", "add", other.project, "sub")
        yield* commit({})
        const sub = (...args: ReadonlyArray<string>) => run("-C", "sub", ...args)
        for (const key of ["core.fsmonitor", "filter.evil.clean", "filter.evil.process"])
          yield* sub("config", key, evil)
        yield* fs.utimes(at("project", "sub", "a.txt"), 1, 1)
        yield* Effect.ignore(run("status"))
        assert.include(yield* ran, "evil", "git by itself does run them")

        const git = yield* gitOf(project, () => [])
        assert.deepStrictEqual((yield* git.status).changed, [])
        assert.strictEqual(yield* ran, "")
        for (const key of ["core.fsmonitor", "filter.evil.clean", "filter.evil.process"])
          yield* sub("config", "--unset", key)
        yield* sub("commit", "-q", "--allow-empty", "-m", "moved")
        assert.deepStrictEqual((yield* git.status).changed, ["sub"])
      })
    )
    live("a missing object is not fetched from a remote that is a program", () =>
      Effect.gen(function* () {
        const { base, commit, evil, fs, project, ran, run } = yield* repository
        yield* commit({ "b.txt": "b\n" })
        const named = {
          "extensions.partialClone": "origin",
          "remote.origin.url": `ext::${evil} %S`,
          "remote.origin.promisor": "true",
          "protocol.ext.allow": "always",
          "protocol.allow": "always"
        }
        for (const [key, value] of Object.entries(named)) yield* run("config", key, value)
        const tree = (yield* run("rev-parse", `${base}^{tree}`)).trim()
        yield* fs.remove(`${project}/.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`, { force: true })
        yield* Effect.ignore(run("diff", base, "HEAD"))
        assert.include(yield* ran, "evil", "git by itself does run it")

        const git = yield* gitOf(project, () => [])
        assert.strictEqual((yield* Effect.flip(git.since(base)))._tag, "GitUnusable")
        assert.strictEqual(yield* ran, "")
      })
    )
  })

  live("a replacement or a graft of a commit is not believed", () =>
    Effect.gen(function* () {
      const { base, commit, fs, project, run } = yield* repository
      const head = yield* commit({ "b.txt": "b\n" })
      const other = (yield* run("commit-tree", "-m", "other", `${base}^{tree}`)).trim()
      yield* run("replace", head, other)
      const git = yield* gitOf(project, () => [])
      assert.deepStrictEqual(yield* git.since(base), { commits: [head], files: ["b.txt"] })
      yield* run("replace", "-d", head)
      yield* fs.writeFileString(`${project}/.git/info/grafts`, `${head} ${other}\n`)
      assert.deepStrictEqual(yield* git.missing([base]), [])
    })
  )

  live("git sees no key of ours, and is never the project's own, wherever PATH looks first", () =>
    Effect.gen(function* () {
      const { at, fs, program, project, ran } = yield* repository
      yield* fs.makeDirectory(at("bin"))
      yield* program("bin/git", `env > ${at("seen")}; PATH=${process.env["PATH"]} exec git "$@"`)
      yield* program("project/git", `echo "./git" >> ${at("ran")}; exit 1`)
      const environment = {
        HOME: at(),
        PATH: `.::${at("bin")}:relative:${process.env["PATH"]}`,
        ANTHROPIC_API_KEY: "sk-secret",
        GIT_DIR: "/nowhere",
        GIT_CONFIG_PARAMETERS: "'core.fsmonitor'='/nowhere'"
      }
      const git = yield* Effect.provideService(
        gitOf(project, () => []),
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: environment })
      )
      assert.isNotNull(yield* git.head)
      const seen = yield* fs.readFileString(at("seen"))
      assert.notInclude(seen, "sk-secret")
      assert.notInclude(seen, "/nowhere")
      assert.include(seen, `PATH=${at("bin")}:/`)
      assert.strictEqual(yield* ran, "")
    })
  )
})

describe("behaviour#state-file", () => {
  live("a commit is known by its id alone: no option, no name, no line more is one", () =>
    Effect.gen(function* () {
      const { base, commit, project, run } = yield* repository
      const head = yield* commit({ "b.txt": "b\n" })
      const blob = (yield* run("rev-parse", "HEAD:b.txt")).trim()
      const git = yield* gitOf(project, () => [])
      const strange = [
        "--help",
        "deadbeef",
        "HEAD",
        "main",
        "HEAD~1",
        "",
        `${head}\n${base}`,
        ` ${head}`,
        blob,
        "--all",
        `^${head}`,
        head.slice(0, 4)
      ]
      assert.deepStrictEqual(yield* git.missing([head, ...strange, base.slice(0, 7), base]), strange)
      assert.deepStrictEqual(yield* git.missing(strange), strange)
      yield* run("reset", "-q", "--hard", base)
      assert.deepStrictEqual(yield* git.missing([base, head]), [head])
    })
  )
})
