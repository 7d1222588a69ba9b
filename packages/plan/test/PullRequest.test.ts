import { assert, describe, it } from "@effect/vitest"
import { layerSettings } from "@souffleur/testing"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { repositoryAt } from "../src/finish/HostPullRequests.ts"
import { hostPullRequests, workPlace } from "../src/index.ts"
import { excluding } from "./BranchPlay.ts"
import { gitIn } from "./GitIn.ts"
import { approves } from "./PlanStage.ts"
import { live, say } from "./PlanTheatre.ts"

/** A project with a commit, a bare repository beside it, and a folder of programs that are found first. */
const outside = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const project = `${home}/project`
  for (const folder of [project, `${home}/bin`, `${home}/state`]) yield* fs.makeDirectory(folder)
  const run = gitIn(project)
  yield* run("init", "-q", "-b", "main")
  yield* run("commit", "-q", "--allow-empty", "-m", "first")
  yield* run("init", "-q", "--bare", "../bare.git")
  const program = Effect.fnUntraced(function* (name: string, script: string) {
    yield* fs.writeFileString(`${home}/${name}`, `#!/bin/sh\n${script}\n`)
    yield* fs.chmod(`${home}/${name}`, 0o755)
    return `${home}/${name}`
  })
  /** gh, as far as it is asked: it lists what is open, opens one, and notes its words, its body and its variables. */
  const gh = (opens: string, open = "[]") =>
    program(
      "bin/gh",
      `echo "$@" >> ${home}/asked\nenv > ${home}/env\nif [ "$2" = list ]; then echo '${open}'; else cat > ${home}/body; ${opens}; fi`
    )
  const variables = {
    PATH: `${home}/bin:${process.env["PATH"] ?? ""}`,
    HOME: home,
    GIT_CONFIG_GLOBAL: `${home}/gitconfig`,
    GH_TOKEN: "for gh",
    DATABASE_PASSWORD: "for nobody"
  }
  yield* fs.writeFileString(`${home}/gitconfig`, `[url "${home}/bare.git"]\n  insteadOf = https://github.com/o/r.git\n`)
  const text = (name: string) => Effect.orElseSucceed(fs.readFileString(`${home}/${name}`), () => "")
  const commit = (yield* run("rev-parse", "HEAD")).trim()
  const propose = Effect.fnUntraced(
    function* (url: string, more: Partial<typeof variables> = {}) {
      const { propose } = yield* hostPullRequests(project)
      const work = { id: "r", branch: "souffleur/play", commit, onto: "main", title: "T", body: "B" }
      return yield* propose({ ...work, remote: { name: "origin", url } }).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...variables, ...more })))
      )
    },
    Effect.provide(layerSettings({ stateDir: `${home}/state` }))
  )
  const pushed = Effect.map(
    run("--git-dir=../bare.git", "for-each-ref", "--format=%(refname:short) %(objectname)"),
    (refs) => refs.trim()
  )
  return { fs, home, project, run, program, gh, text, commit, propose, pushed, variables }
})

describe.concurrent("behaviour#pull-request", () => {
  live(
    "a branch is pushed and gh opens a pull request, with few variables; nothing that the repository names runs",
    () =>
      Effect.gen(function* () {
        const { commit, fs, gh, program, project, propose, pushed, run, text } = yield* outside
        yield* gh("echo https://github.com/o/r/pull/7")
        const evil = yield* program("evil", `echo ran >> "$(dirname "$0")/ran"; exit 1`)
        yield* fs.makeDirectory(`${project}/.git/hooks`, { recursive: true })
        for (const hook of ["pre-push", "reference-transaction"])
          yield* fs.copyFile(evil, `${project}/.git/hooks/${hook}`)
        for (const [key, value] of [
          ["core.sshCommand", evil],
          ["credential.helper", `!${evil}`],
          ["credential.https://github.com.helper", `!${evil}`],
          [`url.ext::${evil}.insteadOf`, "https://github.com/"],
          ["remote.origin.receivepack", evil],
          ["push.gpgSign", "true"],
          ["core.gitProxy", evil]
        ] as const)
          yield* run("config", key, value)
        assert.deepStrictEqual(yield* propose("https://github.com/o/r.git"), {
          _tag: "Pushed",
          remote: "origin",
          url: "https://github.com/o/r/pull/7",
          text: null
        })
        assert.strictEqual(yield* pushed, `souffleur/play ${commit}`)
        assert.strictEqual(yield* text("ran"), "")
        assert.strictEqual(
          yield* text("asked"),
          [
            "pr list --head souffleur/play --repo github.com/o/r --state open --json url",
            "pr create --head souffleur/play --repo github.com/o/r --base main --title T --body-file -\n"
          ].join("\n")
        )
        assert.strictEqual(yield* text("body"), "B")
        assert.include(yield* text("env"), "GH_TOKEN=for gh")
        assert.notInclude(yield* text("env"), "DATABASE_PASSWORD")
        // Once more, as after a kill: what is pushed and open is found.
        yield* gh("exit 1", '[{"url":"https://github.com/o/r/pull/7"}]')
        assert.deepInclude(yield* propose("https://github.com/o/r.git"), { url: "https://github.com/o/r/pull/7" })
      })
  )
  live("without gh the text is in a file of this user; a gh that fails, and an address of a program, say so", () =>
    Effect.gen(function* () {
      const { fs, gh, home, program, propose, pushed } = yield* outside
      const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"))
      const [git] = yield* Effect.filter(folders, (folder) => fs.exists(`${folder}/git`))
      yield* fs.symlink(`${git}/git`, `${home}/bin/git`)
      yield* fs.symlink("/bin/sh", `${home}/bin/sh`)
      assert.deepStrictEqual(yield* propose("../bare.git", { PATH: `${home}/bin` }), {
        _tag: "Pushed",
        remote: "origin",
        url: null,
        text: `${home}/state/pull-requests/r.md`
      })
      assert.include(yield* pushed, "souffleur/play ")
      assert.strictEqual(yield* fs.readFileString(`${home}/state/pull-requests/r.md`), "# T\n\nB\n")
      assert.strictEqual((yield* fs.stat(`${home}/state/pull-requests/r.md`)).mode & 0o777, 0o600)
      yield* gh("echo no login >&2; exit 4")
      const failed = yield* propose("../bare.git")
      assert.match("problem" in failed ? failed.problem : "", /gh opened no pull request: .*no login: its text is /u)
      const evil = yield* program("evil", `echo ran >> ${home}/ran`)
      const refused = yield* propose(`ext::${evil}`)
      assert.match("problem" in refused ? refused.problem : "", /was not pushed to origin: .*'ext' not allowed/u)
      assert.isFalse(yield* fs.exists(`${home}/ran`))
      const nowhere = yield* propose("https://x:a-key@127.0.0.1:1/o/r.git")
      assert.match("problem" in nowhere ? nowhere.problem : "", /was not pushed to origin: .*127\.0\.0\.1/u)
      assert.notInclude(JSON.stringify(nowhere), "a-key")
      assert.deepStrictEqual(
        (yield* fs.readDirectory(`${home}/state`)).filter((name) => name.startsWith("push-")),
        []
      )
    })
  )
  live("a run pushes its branch to the address that it began with, and to another one by a person's word alone", () =>
    Effect.gen(function* () {
      const { gh, home, text, variables } = yield* outside
      yield* gh("echo https://github.com/o/r/pull/8")
      yield* Effect.gen(function* () {
        const play = yield* excluding(
          ({ commits, git }) => ({
            implementer: [
              (assignment) => Effect.andThen(git("remote", "set-url", "origin", "../elsewhere"), commits(assignment))
            ],
            reviewer: [say(approves)]
          }),
          { plan: { branch: "auto", finish: { _tag: "PullRequest" } } }
        )
        yield* play.git("remote", "add", "origin", `${home}/bare.git`)
        const run = yield* play.conducts
        assert.match(run.finishingFailure ?? "", /^the address of origin is not what it was when the run began/u)
        assert.strictEqual(yield* text("asked"), "")
        yield* play.git("remote", "set-url", "origin", `${home}/bare.git`)
        yield* play.dispatch({ _tag: "AnswerFinishing", answer: "retry" })
        const done = yield* play.conducts
        assert.strictEqual(
          workPlace(done),
          "1 commit on branch souffleur/play, pull request https://github.com/o/r/pull/8",
          done.finishingFailure ?? ""
        )
        const [commit = ""] = done.tasks[0]?.work.commits ?? []
        assert.strictEqual(
          yield* text("body"),
          `- **t1** \`Do t1\`: approved by its reviewer, unverified, ${commit.slice(0, 12)}`
        )
      }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(variables))))
    })
  )
  it("gh knows a repository by its host, its owner and its name, and by no secret in its address", () => {
    for (const [url, name] of [
      ["https://github.com/o/r.git", "github.com/o/r"],
      ["https://x:token@ghe.example/o/r", "ghe.example/o/r"],
      ["git@github.com:o/r.git", "github.com/o/r"],
      ["ssh://git@github.com:22/o/r.git", "github.com/o/r"],
      ["/srv/bare.git", undefined],
      ["ext::sh -c o/r", undefined],
      ["https://github.com/o/r/../../x", undefined]
    ] as const)
      assert.strictEqual(repositoryAt(url), name, url)
  })
})
