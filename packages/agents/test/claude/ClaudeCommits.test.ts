import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path } from "effect"
import { claudeCommits, rulesSaid } from "../../src/claude/settings/ClaudeCommits.ts"
import { isAbout, rulesIn, ruleWordOf } from "../../src/claude/settings/PermissionRule.ts"

const both = ["Bash(git add:*)", "Bash(git commit:*)"]
const allow = (...rules: ReadonlyArray<string>) => ({ permissions: { allow: rules } })

/** A repository with these settings files, in a home of its own. A text is written as it is. */
const place = Effect.fnUntraced(function* (
  files: Readonly<Record<string, unknown>>,
  { below = "", trusted = true, worktree = false } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-commits-" }))
  const [root, tree] = [path.join(home, "opera"), path.join(home, "tree")]
  const project = worktree ? tree : path.join(root, below)
  yield* fs.makeDirectory(path.join(root, ".git", "worktrees", "tree"), { recursive: true })
  yield* fs.makeDirectory(project, { recursive: true })
  if (worktree) yield* fs.writeFileString(path.join(tree, ".git"), `gitdir: ${root}/.git/worktrees/tree\n`)
  const notes = { projects: { [root]: { hasTrustDialogAccepted: trusted } } }
  for (const [name, text] of Object.entries({ ".claude.json": notes, ...files })) {
    yield* fs.makeDirectory(path.dirname(path.join(home, name)), { recursive: true })
    yield* fs.writeFileString(path.join(home, name), typeof text === "string" ? text : JSON.stringify(text))
  }
  const said = (
    more: { readonly words?: ReadonlyArray<string>; readonly permission?: "bypassPermissions" } = {},
    programs: ReadonlyArray<string> = []
  ) =>
    rulesSaid(
      {
        project,
        agentDir: path.join(home, ".claude"),
        variables: { HOME: home },
        words: ["/bin/claude"],
        permission: "acceptEdits",
        ...more
      },
      programs,
      path.join(home, "managed")
    )
  const problem = (...args: Parameters<typeof said>) => Effect.map(said(...args), ({ commit }) => commit)
  return { home, project, problem, said }
})

const [ofUser, ofProject, ofLocal] = [
  ".claude/settings.json",
  "opera/.claude/settings.json",
  "opera/.claude/settings.local.json"
]
const managed = "managed/managed-settings.json"
const none = /^no rule lets Claude Code commit without a question/u

describe("behaviour#agents-of-a-run", () => {
  it("a pattern with many stars is answered at once", () => {
    const stars = "*t".repeat(1000)
    assert.isFalse(isAbout(`Bash(${stars}!)`, "git commit -m text"))
    assert.isFalse(isAbout("Bash(git*commit*commit)", "git commit -m text"))
    assert.isTrue(isAbout("Bash(*g*t* text)", "git commit -m text"))
    assert.isFalse(isAbout("Bash(git commit -m text*text)", "git commit -m text"))
  })

  it("a rule of Claude Code is about a command by its first words, or by a pattern", () => {
    const command = "git commit -m text"
    for (const rule of [
      "Bash",
      "Bash(*)",
      "Bash(**)",
      "Bash(git:*)",
      "Bash(git commit:*)",
      "Bash(git commit -m text)",
      "Bash(git commit -m:*)",
      "Bash(git *)",
      "Bash(git commit*)",
      "Bash(*git*)",
      "Bash(g*)"
    ])
      assert.isTrue(isAbout(rule, command), rule)
    for (const rule of [
      "*",
      "Bash()",
      "Bash(:*)",
      "Bash(*:*)",
      "bash(git:*)",
      "Bash (git:*)",
      "Bash(GIT:*)",
      "Bash(git comm:*)",
      "Bash(git commit)",
      "Bash(git.commit*)",
      "Bash(git push:*)",
      "Edit"
    ])
      assert.isFalse(isAbout(rule, command), rule)
  })

  it("a denial outranks a question, which outranks an allowance; what is no list of texts holds no rule", () => {
    const rules = (permissions: object) => rulesIn({ permissions }, "f")
    const word = (permissions: object) => ruleWordOf(rules(permissions), "git add a.txt")._tag
    assert.strictEqual(word({ allow: [3, "Bash"] }), "Allow")
    assert.strictEqual(word({ allow: ["Bash(git add:*)"], ask: ["Bash"] }), "Ask")
    assert.strictEqual(word({ allow: ["Bash"], ask: ["Bash"], deny: ["Bash(git:*)"] }), "Deny")
    for (const no of [{}, { allow: "Bash" }, { allow: null }]) assert.strictEqual(word(no), "None")
    assert.deepStrictEqual(rulesIn([], "f"), { allow: [], ask: [], deny: [] })
  })

  it.effect.each<
    readonly [
      what: string,
      files: Readonly<Record<string, unknown>>,
      expected: RegExp | null,
      more?: Parameters<typeof place>[1]
    ]
  >([
    ["no settings", {}, none],
    ["the user's rules", { [ofUser]: allow(...both) }, null],
    ["rules in two files", { [ofUser]: allow(both[0]!), [ofLocal]: allow(both[1]!) }, null],
    ["one rule of two", { [ofUser]: allow(both[1]!) }, none],
    ["the project's rules", { [ofProject]: allow(...both) }, null],
    [
      "the project's rules, in a folder that nobody has trusted",
      { [ofProject]: allow(...both) },
      /settings\.json allow no commit, because nobody has trusted .*opera/u,
      { trusted: false }
    ],
    ["the user's own rules there", { [ofLocal]: allow(...both) }, null, { trusted: false }],
    ["the own rules of the root, in a folder below", { [ofLocal]: allow(...both) }, null, { below: "packages/a" }],
    ["the project's rules of the root, in a folder below", { [ofProject]: allow(...both) }, none, { below: "a" }],
    [
      "a linked work tree, whose repository is trusted",
      { "tree/.claude/settings.json": allow(...both) },
      null,
      { worktree: true }
    ],
    ["a file that is no JSON", { [ofLocal]: `{ // mine\n${JSON.stringify(allow(...both)).slice(1)}` }, none],
    [
      "a denial in another file",
      { [ofUser]: allow("Bash"), [ofProject]: { permissions: { deny: ["Bash(git commit:*)"] } } },
      /^Claude Code refuses to commit, by the rule Bash\(git commit:\*\) of .*opera\/\.claude\/settings\.json$/u,
      { trusted: false }
    ],
    [
      "a question",
      { [ofUser]: { permissions: { allow: ["Bash"], ask: ["Bash(git *)"] } } },
      /^Claude Code asks before it commits, and no person can answer, by the rule Bash\(git \*\)/u
    ],
    ["an administrator's rules", { [managed]: allow(...both) }, null],
    ["those of a part", { "managed/managed-settings.d/10.json": allow(...both) }, null],
    [
      "an administrator's rules alone",
      { [managed]: { allowManagedPermissionRulesOnly: true }, [ofUser]: allow("Bash") },
      none
    ],
    ["a sandbox, which needs no rule", { [ofUser]: { sandbox: { enabled: true } } }, null]
  ])("what keeps Claude Code from a commit: %s", ([, files, expected, more]) =>
    Effect.gen(function* () {
      const { problem } = yield* place(files, more)
      const found = yield* problem()
      if (expected === null) assert.isNull(found)
      else assert.match(found?.detail ?? "nothing", expected)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect(
    "the highest permission needs no rule, unless an administrator took it away; flags may decide otherwise",
    () =>
      Effect.gen(function* () {
        const bypass = { permission: "bypassPermissions" } as const
        assert.isNull(yield* (yield* place({})).problem(bypass))
        const denied = yield* place({ [ofUser]: { permissions: { deny: ["Bash"] } } })
        assert.match((yield* denied.problem(bypass))?.detail ?? "", /refuses to commit/u)
        const taken = yield* place({ [managed]: { permissions: { disableBypassPermissionsMode: "disable" } } })
        assert.match((yield* taken.problem(bypass))?.detail ?? "", none)
        const { problem } = yield* place({})
        for (const flag of ["--setting-sources", "--disallowedTools=Bash", "--bare"])
          assert.isNull(yield* problem({ words: ["claude", "--model", "m", flag] }), flag)
        assert.isNull(yield* problem({ words: ["/home/ada/bin/my-agent"] }), "of another program nothing is known")
      }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("a key of its own is a program that prints it, or a variable of any settings file", () =>
    Effect.gen(function* () {
      const found = Effect.fnUntraced(function* (files: Parameters<typeof place>[0]) {
        const { home, project } = yield* place(files)
        return yield* claudeCommits.ownKey({ project, agentDir: `${home}/.claude` })
      })
      assert.isFalse(yield* found({ [ofUser]: { env: { EDITOR: "vi" }, model: "m" } }))
      assert.isTrue(yield* found({ [ofProject]: { apiKeyHelper: "/bin/key" } }))
      for (const name of ["ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_OAUTH_TOKEN"])
        assert.isTrue(yield* found({ [ofLocal]: { env: { [name]: "1" } } }), name)
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )

  it.effect("the rules are added to the user's own settings of the project, beside what is there, once", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      for (const [before, after] of [
        [undefined, allow(...both)],
        ['{"model": "m"}\n', { model: "m", ...allow(...both) }],
        ['{\n  "permissions": { "deny": ["Edit"] }\n}\n', { permissions: { deny: ["Edit"], allow: both } }],
        [JSON.stringify(allow("Bash(make:*)", both[0]!)), allow("Bash(make:*)", ...both)]
      ] as const) {
        const { home, problem, project } = yield* place(before === undefined ? {} : { [ofLocal]: before })
        for (const _ of [1, 2]) {
          const draft = yield* claudeCommits.allow(project)
          assert.strictEqual(draft.path, `${home}/${ofLocal}`)
          yield* draft.write
        }
        assert.deepStrictEqual(JSON.parse(yield* fs.readFileString(`${home}/${ofLocal}`)), after)
        assert.isNull(yield* problem())
      }
      const deep = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
      for (const odd of [deep, "{ // mine\n}", "[]", '{"permissions":[]}', '{"permissions":{"allow":"Bash"}}']) {
        const { home, project } = yield* place({ [ofLocal]: odd })
        assert.strictEqual((yield* Effect.flip(claudeCommits.allow(project)))._tag, "AgentSettingsUnusable")
        assert.strictEqual(yield* fs.readFileString(`${home}/${ofLocal}`), odd)
      }
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
