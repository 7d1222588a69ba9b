import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem } from "effect"
import { changedLines } from "../src/person/RulesAsked.ts"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"
import { typedAt } from "./TypedAt.ts"

const agents = ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"]

/** A repository without a name for git, a plan with a trusted gate, and agents that say that they are logged in. */
const opera = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-preflight-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
  yield* fs.writeFileString(`${project}/.orchestra_configs/souffleur`, "MAX_EXTERNAL_PERMISSION=bypassPermissions\n", {
    mode: 0o600
  })
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", project, ...args])
  git("init", "-q", "-b", "main")
  git("config", "user.useConfigOnly", "true")
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "base")
  yield* fs.writeFileString(
    `${project}/plan.yaml`,
    "finish: none\nverify: [npm, test]\ntasks:\n  - id: a\n    title: A\n    acceptance_criteria: it is\n"
  )
  yield* fs.makeDirectory(`${home}/bin`)
  for (const agent of agents)
    yield* fs.writeFileString(
      `${home}/bin/${agent}`,
      `#!/bin/sh\necho "$0 $*" >> ${home}/ran\n[ -e ${home}/out ] && echo '{"loggedIn": false}\nNot logged in' || echo '{"loggedIn": true}\nLogged in'\n`,
      { mode: 0o755 }
    )
  const variables = { HOME: home, PATH: `${home}/bin:/usr/bin:/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  const at = { cwd: project, variables, interactive: false }
  yield* printedAt(at, "config", "--trust")
  yield* printedAt(at, "conduct", "plan", "plan.yaml", "--trust")
  const conduct = Effect.fnUntraced(function* (
    { keys, more = {} }: { readonly keys?: ReadonlyArray<string>; readonly more?: Readonly<Record<string, string>> },
    ...args: ReadonlyArray<string>
  ) {
    const lines: Array<string> = []
    const where = { cwd: project, variables: { ...variables, ...more }, interactive: keys !== undefined, lines }
    const does = Effect.exit(printedAt(where, "conduct", "plan.yaml", ...args))
    const exit = yield* keys === undefined ? does : typedAt(keys, [])(does)
    return { isDone: Exit.isSuccess(exit), said: lines.join("\n") }
  })
  const local = `${project}/.claude/settings.local.json`
  const allowed = fs.exists(local).pipe(
    Effect.flatMap((is) => (is ? fs.readFileString(local) : Effect.succeed("null"))),
    Effect.map((text) => JSON.parse(text) as unknown)
  )
  const ran = Effect.orElseSucceed(fs.readFileString(`${home}/ran`), () => "")
  return { allowed, conduct, home, ran }
})

const rules = ["Bash(git add:*)", "Bash(git commit:*)", "Bash(npm test:*)"]

describe("behaviour#preflight", () => {
  it.layer(services)((it) => {
    it.effect("a run that surely fails is refused, by an agent or without a terminal with no question", () =>
      Effect.gen(function* () {
        const { allowed, conduct, home, ran } = yield* opera
        for (const one of [{}, { keys: [], more: { CLAUDECODE: "1" } }]) {
          const { isDone, said } = yield* conduct(one)
          assert.isFalse(isDone)
          assert.match(said, /plan\.yaml is not begun:\nnot ok +identity +git does not know who commits here/u)
          assert.match(said, /^not ok +commits +no rule lets Claude Code commit/mu)
          assert.notMatch(said, /npm test|login/u, "what is not sure refuses nothing")
        }
        assert.isNull(yield* allowed)
        assert.notInclude(yield* ran, "npm")
        assert.include(yield* ran, `${home}/bin/claude auth status\n`)
        const status = yield* conduct({}, "--dry-run", "--json")
        assert.isNull((JSON.parse(status.said) as { readonly goes_on: unknown }).goes_on, "no run")
      })
    )

    it.effect("a person at a terminal is asked once, by the lines as they would be written", () =>
      Effect.gen(function* () {
        const { allowed, conduct } = yield* opera
        const no = yield* conduct({ keys: ["n"] })
        assert.include(no.said, "The agent lacks rules of its own in ")
        for (const rule of rules)
          assert.match(no.said, new RegExp(`^\\+ .*${rule.replaceAll(/[()*]/gu, "\\$&")}`, "mu"))
        assert.match(no.said, /^not ok +commits/mu)
        assert.isNull(yield* allowed, "no is no")
        assert.match((yield* conduct({ keys: ["enter"] })).said, /^not ok +commits/mu)
        assert.isNull(yield* allowed, "no word is no")
        const yes = yield* conduct({ keys: ["y"] })
        assert.deepStrictEqual(yield* allowed, { permissions: { allow: rules } })
        assert.notMatch(yes.said, /^not ok +commits/mu)
        assert.match(yes.said, /^not ok +identity/mu)
        assert.notInclude((yield* conduct({ keys: [] })).said, "The agent lacks rules")
      })
    )

    it.effect("who is logged out is refused, unless a key of the project, or of another agent, may do", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { conduct, home } = yield* opera
        yield* fs.writeFileString(`${home}/out`, "")
        const login = /^not ok +login +Claude Code says that nobody is logged in\n +-> claude auth login$/mu
        assert.match((yield* conduct({})).said, login)
        yield* fs.makeDirectory(`${home}/opera/.claude`)
        yield* fs.writeFileString(`${home}/opera/.claude/settings.json`, '{"apiKeyHelper":"/bin/key"}')
        const { said } = yield* conduct({})
        assert.notMatch(said, login)
        assert.match(said, /^not ok +identity/mu)
        assert.match((yield* conduct({}, "--dry-run")).said, login)
        const codex = "--implementer codex --reviewer codex --permission bypassPermissions"
        const other = yield* conduct({}, ...codex.split(" "))
        assert.notMatch(other.said, /^not ok +login/mu)
        assert.match((yield* conduct({}, ...codex.split(" "), "--dry-run")).said, /^not ok +login +Codex says/mu)
      })
    )

    it.effect("a dry run says of each agent whether it may commit and run the gate, and is logged in", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera
        const told = yield* Effect.forEach(agents, (agent) =>
          Effect.map(
            conduct(
              {},
              ...`--implementer ${agent} --reviewer ${agent} --permission bypassPermissions --dry-run --json`.split(" ")
            ),
            ({ said }) => {
              const checks = JSON.parse(said)["preflight"] as ReadonlyArray<{ check: string; standing: string }>
              const of = (name: string) => checks.find(({ check }) => check === name)?.standing
              return [agent, of("commits"), of("gate"), of("login")]
            }
          )
        )
        assert.deepStrictEqual(
          told,
          agents.map((agent) => [agent, "ok", "ok", agent === "claude" || agent === "codex" ? "ok" : "unknown"])
        )
      })
    )

    it("a change of settings is shown with the lines around it", () => {
      const before = '{\n  "model": "m",\n  "permissions": {\n    "deny": []\n  }\n}\n'
      const after = before.replace('"deny": []', '"deny": [],\n    "allow": ["Bash(a:*)"]')
      assert.deepStrictEqual(changedLines({ before, after }), [
        '    "model": "m",',
        '    "permissions": {',
        '-     "deny": []',
        '+     "deny": [],',
        '+     "allow": ["Bash(a:*)"]',
        "    }",
        "  }"
      ])
      assert.deepStrictEqual(changedLines({ before: "", after: "{}\n" }), ["+ {}"])
    })
  })
})
