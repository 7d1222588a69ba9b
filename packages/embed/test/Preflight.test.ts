import { execFileSync } from "node:child_process"
import { claudeCode } from "@souffleur/agents"
import { HostServices } from "@souffleur/node"
import { planOf } from "@souffleur/plan"
import { loadSettings } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Result } from "effect"
import { rulesReady } from "../src/preflight/AgentReady.ts"
import { branchReady, identityReady, pushReady } from "../src/preflight/GitReady.ts"
import { roomReady } from "../src/preflight/Preflight.ts"
import { installed } from "./Installed.ts"

const named = ["-c", "user.name=A", "-c", "user.email=a@localhost"]

/** A repository with one commit, in a home without settings of git. */
const repository = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-preflight-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(project)
  const environment = { HOME: home, PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1" }
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", project, ...args], { encoding: "utf8", env: environment, stdio: "pipe" })
  git("init", "-q", "-b", "main")
  // A machine whose host has a whole name gives git an address by that.
  git("config", "user.useConfigOnly", "true")
  git(...named, "commit", "-q", "--allow-empty", "-m", "base")
  return { environment, git, home, project }
})

const planWith = (more: object) =>
  Result.getOrThrow(
    planOf({ tasks: [{ id: "a", title: "A", acceptance_criteria: "it is" }], ...more }, new Map(), "play")
  )

const standingOf = ({ refuses = false, standing }: { readonly refuses?: boolean; readonly standing: string }) =>
  `${standing}${refuses ? ", refused" : ""}`

describe("behaviour#preflight", () => {
  it.live("git must know who commits, unless the agent is none that souffleur knows", () =>
    Effect.gen(function* () {
      const { environment, git, project } = yield* repository
      const said = (known: boolean, more = {}) =>
        identityReady(project, { environment: { ...environment, ...more }, known })
      assert.strictEqual(standingOf(yield* said(true)), "not ok, refused")
      assert.include((yield* said(true)).todo, "git config user.name")
      assert.strictEqual(standingOf(yield* said(false)), "unknown")
      const ada = { NAME: "Ada", EMAIL: "ada@localhost" }
      const variables = ["AUTHOR", "COMMITTER"].flatMap((role) =>
        Object.entries(ada).map(([what, text]) => [`GIT_${role}_${what}`, text] as const)
      )
      assert.deepInclude(yield* said(true, Object.fromEntries(variables)), {
        standing: "ok",
        detail: "git commits as Ada <ada@localhost>"
      })
      git("config", "user.name", "A")
      git("config", "user.email", "a@localhost")
      assert.deepInclude(yield* said(true), { standing: "ok", detail: "git commits as A <a@localhost>" })
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live(
    "a git that does not answer is unknown, and is not waited for",
    () =>
      Effect.gen(function* () {
        const { environment, home, project } = yield* repository
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${home}/git`, "#!/bin/sh\nexec sleep 100\n", { mode: 0o755 })
        const slow = { ...environment, PATH: `${home}:${environment.PATH}` }
        const looks = Effect.all(
          [identityReady(project, { environment: {}, known: true }), branchReady(project, planWith({}))],
          {
            concurrency: 2
          }
        )
        const looked = yield* looks.pipe(
          Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(slow))),
          Effect.timeout("15 seconds")
        )
        assert.deepStrictEqual(looked.map(standingOf), ["unknown", "unknown"])
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer)),
    30_000
  )

  it.live("the branch of the commits is told, and a merge into none is refused", () =>
    Effect.gen(function* () {
      const { git, home, project } = yield* repository
      const said = (more: object) => branchReady(project, planWith(more))
      assert.deepInclude(yield* said({}), {
        standing: "ok",
        detail: 'its commits go to main itself; "branch: auto" in the plan makes a branch'
      })
      assert.include((yield* said({ branch: "auto", finish: "merge" })).detail, "a branch of its own, made from main")
      git("checkout", "-q", "-b", "work")
      assert.include((yield* said({})).detail, "its commits go to work")
      assert.strictEqual(standingOf(yield* said({ branch: "work", finish: "merge" })), "not ok, refused")
      git("checkout", "-q", "--detach")
      assert.deepInclude(yield* said({}), { standing: "not ok", todo: "git switch -c NAME" })
      assert.strictEqual(standingOf(yield* said({})), "not ok")
      assert.strictEqual(standingOf(yield* said({ branch: "auto", finish: "merge" })), "not ok, refused")
      assert.include((yield* branchReady(home, planWith({}))).detail, "not a git repository")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("the push at the end is tried without sending anything; only what a remote refuses is sure", () =>
    Effect.gen(function* () {
      const { environment, git, home, project } = yield* repository
      const settings = yield* loadSettings({
        agent: claudeCode,
        projectDir: project,
        environment: { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` },
        flags: {}
      })
      const plan = planWith({ branch: "auto", finish: "pull-request" })
      const said = (trusted = true) => pushReady(project, settings, { plan, trusted })
      assert.deepStrictEqual(yield* pushReady(project, settings, { plan: planWith({}), trusted: true }), [])
      assert.deepStrictEqual((yield* said()).map(standingOf), ["not ok, refused"])
      const remote = `${home}/remote.git`
      const at = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", remote, ...args], { encoding: "utf8", env: environment })
      git("init", "-q", "--bare", remote)
      git("remote", "add", "origin", remote)
      assert.deepStrictEqual((yield* said(false)).map(standingOf), ["unknown"])
      const [taken] = yield* said()
      assert.deepInclude(taken, { standing: "ok", detail: "origin would take souffleur/play" })
      assert.strictEqual(at("for-each-ref"), "", "nothing is sent")
      // Somebody else has that branch.
      const tree = at("mktree").trim()
      const theirs = at(...named, "commit-tree", tree, "-m", "theirs").trim()
      at("update-ref", "refs/heads/souffleur/play", theirs)
      const [rejected] = yield* said()
      assert.strictEqual(standingOf(rejected!), "not ok, refused")
      git("remote", "set-url", "origin", `${home}/gone.git`)
      assert.deepStrictEqual((yield* said()).map(standingOf), ["not ok, refused"])
      git("remote", "set-url", "origin", "https://127.0.0.1:1/opera.git")
      assert.deepStrictEqual((yield* said()).map(standingOf), ["unknown"], "it may be there by the morning")
      assert.isFalse(yield* (yield* FileSystem.FileSystem).exists(`${home}/state`), "a look makes no state folder")
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.live("what keeps an agent from its gate refuses nothing, and another program is unknown", () =>
    Effect.gen(function* () {
      const { home, project } = yield* repository
      const variables = { HOME: home, PATH: "/usr/bin:/bin" }
      const settings = yield* loadSettings({
        agent: claudeCode,
        projectDir: project,
        environment: variables,
        flags: {}
      })
      const said = (words: ReadonlyArray<string>, ...programs: ReadonlyArray<string>) =>
        rulesReady({ kind: claudeCode, settings, place: { project, words, permission: "acceptEdits" } }, programs).pipe(
          Effect.provide(installed(variables))
        )
      const [commits, gate] = yield* said(["claude"], "npm test", "cat a.txt", "node -e 'a(b)'")
      assert.strictEqual(standingOf(commits!), "not ok, refused")
      assert.strictEqual(standingOf(gate!), "not ok")
      assert.include(gate?.detail, "run npm test, node -e 'a(b)' without a question")
      assert.deepStrictEqual(gate?.rules, ["Bash(npm test:*)"], "of words that a shell reads no rule is written")
      for (const words of [["./my-agent"], ["claude", "--settings", "x"]])
        assert.deepStrictEqual((yield* said(words, "npm test")).map(standingOf), ["unknown", "unknown"])
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it("no run begins without room for its events and its commits", () => {
    assert.deepInclude(roomReady(["/s", 12_500_000_000], ["/p", 2e12]), { standing: "ok", detail: "12 GB are free" })
    assert.strictEqual(roomReady(["/s", undefined], ["/p", 2e12]).standing, "unknown")
    assert.include(roomReady(["/s", 1_000_000], ["/p", 2e12]).detail, "1 MB are free for /s: without room no event")
    assert.include(roomReady(["/s", 2e12], ["/p", 31_000_000]).detail, "31 MB are free for /p: without room nothing")
  })
})
