import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem } from "effect"
import { services } from "./mcp/McpPlace.ts"
import { printedAt } from "./Printed.ts"

const planOf = (finish: string) =>
  `workflow_id: play\n${finish}\ntasks:\n  - id: overture\n    title: The overture\n    acceptance_criteria: it is written\n`

/** A project with a plan, whose settings are trusted, and these programs in PATH. */
const opera = Effect.fnUntraced(function* (ceiling: string, ...programs: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-roles-" }))
  const project = `${home}/opera`
  yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
  yield* fs.writeFileString(`${project}/.orchestra_configs/souffleur`, `MAX_EXTERNAL_PERMISSION=${ceiling}\n`, {
    mode: 0o600
  })
  yield* fs.writeFileString(`${project}/plan.yaml`, planOf("finish: none"))
  yield* fs.writeFileString(`${project}/asked.yaml`, planOf("finish:\n  prompt: Open a pull request."))
  yield* fs.writeFileString(`${project}/ended.yaml`, planOf("finish:\n  command: [nonesuch]"))
  yield* fs.makeDirectory(`${home}/bin`)
  for (const program of programs) yield* fs.writeFileString(`${home}/bin/${program}`, "#!/bin/sh\n", { mode: 0o755 })
  const variables = { HOME: home, PATH: `${home}/bin`, SOUFFLEUR_STATE_DIR: `${home}/state` }
  yield* printedAt({ cwd: project, variables, interactive: false, lines: [] }, "config", "--trust")
  const conduct = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const lines: Array<string> = []
    const at = { cwd: project, variables, interactive: false, lines }
    const exit = yield* Effect.exit(printedAt(at, "conduct", ...args))
    return { isDone: Exit.isSuccess(exit), said: lines.join("\n") }
  })
  /** Writes a plan that chooses these agents. */
  const choose = (agents: string) =>
    fs.writeFileString(`${project}/plan.yaml`, planOf(`finish: { prompt: Bow }\nagents:\n${agents}`))
  return { choose, conduct, home }
})

describe("behaviour#agents-of-a-plan", () => {
  it.layer(services)((it) => {
    it.effect(
      "a dry run tells the agent, the models and the effort of each role, and a person's word outranks them",
      () =>
        Effect.gen(function* () {
          const { choose, conduct } = yield* opera("bypassPermissions", "claude", "codex", "pi")
          yield* choose(
            "  implementer: { agent: codex, model: [gpt-5-mini, gpt-5], effort: high }\n  finisher: { agent: pi, model: x }"
          )
          const flags = ["--permission", "bypassPermissions", "--dry-run"]
          const { isDone, said } = yield* conduct("plan.yaml", ...flags)
          assert.isTrue(isDone, said)
          assert.include(
            said,
            "implementer by codex (gpt-5-mini, then gpt-5; effort high), with at most bypassPermissions"
          )
          assert.include(said, "reviewer by claude, with at most bypassPermissions")
          assert.include(said, "finisher by pi (x), with at most bypassPermissions")
          const other = yield* conduct("plan.yaml", "--implementer", "pi", "--reviewer", "codex", ...flags)
          assert.include(other.said, "implementer by pi, with")
          assert.include(other.said, "reviewer by codex, held to reading by -s read-only")
          const { agents } = JSON.parse((yield* conduct("plan.yaml", ...flags, "--json")).said)
          assert.deepInclude(agents[0], { agent: "codex", models: ["gpt-5-mini", "gpt-5"], effort: "high" })
          assert.deepInclude(agents[1], { agent: "claude", models: [], effort: null })
        })
    )
    it.effect("an agent of a plan that its role cannot have is refused by its key, under the same ceiling", () =>
      Effect.gen(function* () {
        const { choose, conduct } = yield* opera("acceptEdits", "claude", "codex", "gemini")
        for (const [agents, why] of [
          ["implementer: { agent: codex }", "agents.implementer of the plan: with acceptEdits, Codex works in its"],
          ["reviewer: { agent: gemini }", "agents.reviewer of the plan: Gemini CLI runs what the settings"],
          ["reviewer: { agent: nonesuch }", 'agents.reviewer of the plan: no agent is called "nonesuch": name claude'],
          ["reviewer: { effort: huge }", "agents.reviewer of the plan: it knows no effort huge: name low, medium"],
          ["finisher: { agent: pi }", "agents.finisher of the plan: pi runs what its own files say"]
        ] as const)
          for (const more of [[], ["--dry-run"]]) {
            yield* choose(`  ${agents}`)
            const { isDone, said } = yield* conduct("plan.yaml", ...more)
            assert.isFalse(isDone, said)
            assert.include(said, why)
          }
      })
    )
    it.effect("an effort that an agent has no setting for is refused", () =>
      Effect.gen(function* () {
        const { choose, conduct } = yield* opera("bypassPermissions", "claude", "gemini")
        yield* choose("  reviewer: { agent: gemini, effort: high }")
        const { said } = yield* conduct("plan.yaml", "--permission", "bypassPermissions", "--dry-run")
        assert.include(said, "agents.reviewer of the plan: it has no setting for effort: leave effort high out")
      })
    )
  })
})

describe("behaviour#agents-of-a-run", () => {
  it.layer(services)((it) => {
    it.effect("a plan needs the programs of its roles alone; its finishing step has the agent of the settings", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera("bypassPermissions", "pi", "qwen")
        const roles = ["--implementer", "pi", "--reviewer", "qwen", "--permission", "bypassPermissions", "--dry-run"]
        const { isDone, said } = yield* conduct("plan.yaml", ...roles)
        assert.isTrue(isDone, said)
        assert.include(said, "Workflow play, in this order:")
        assert.include(said, "implementer by pi, with at most bypassPermissions")
        assert.include(said, "reviewer by qwen, with at most bypassPermissions")
        assert.notInclude(said, "finisher by")
        const asked = yield* conduct("asked.yaml", ...roles)
        assert.isFalse(asked.isDone)
        assert.include(
          asked.said,
          "AGENT_COMMAND, for the finishing step: there is no program claude in PATH (a plan with finish: none has no such step)"
        )
        const half = yield* conduct(
          "plan.yaml",
          "--implementer",
          "pi",
          "--permission",
          "bypassPermissions",
          "--dry-run"
        )
        assert.include(half.said, "AGENT_COMMAND, for the reviewer: there is no program claude in PATH")
      })
    )

    it.effect("a dry run tells the flag that holds a reviewer to reading, and the permission of any other agent", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera("bypassPermissions", "codex")
        const roles = [
          "--implementer",
          "codex",
          "--reviewer",
          "codex",
          "--permission",
          "bypassPermissions",
          "--dry-run"
        ]
        const { said } = yield* conduct("plan.yaml", ...roles)
        assert.include(said, "implementer by codex, with at most bypassPermissions")
        assert.include(said, "reviewer by codex, held to reading by -s read-only")
        const { agents } = JSON.parse((yield* conduct("plan.yaml", ...roles, "--json")).said) as {
          readonly agents: ReadonlyArray<Record<string, unknown>>
        }
        assert.deepStrictEqual(
          agents.map((one) => one["held_by"]),
          [null, "-s read-only"]
        )
      })
    )

    it.effect("an agent that its role cannot have is refused by its flag, also in a dry run", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera("acceptEdits", "claude", "codex", "opencode", "pi")
        const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, why: string]> = [
          [
            ["--implementer", "codex"],
            "--implementer codex: with acceptEdits, Codex works in its sandbox workspace-write, in which git commit fails"
          ],
          [
            ["--reviewer", "opencode"],
            "--reviewer opencode: OpenCode runs each command without a question: it is launched with bypassPermissions alone"
          ],
          [
            ["--implementer", "pi"],
            '--implementer pi: pi runs what its own files say, and edits any file: it is launched with bypassPermissions alone: set MAX_EXTERNAL_PERMISSION=bypassPermissions, then conduct with permission bypassPermissions: "souffleur setup --permission bypassPermissions" sets that'
          ],
          [
            ["--implementer", "pi", "--permission", "bypassPermissions"],
            'bypassPermissions alone: set MAX_EXTERNAL_PERMISSION=bypassPermissions: "souffleur setup --permission bypassPermissions" sets that\n'
          ],
          [["--implementer", "qwen", "--permission", "bypassPermissions"], "--implementer qwen: with acceptEdits, "],
          [["--deadline", "7 pm"], "--deadline 7 pm is no time of the day: write 07:00"],
          [["--reviewer", "nonesuch"], '--reviewer nonesuch: no agent is called "nonesuch"'],
          [["--reviewer", "qwen"], "--reviewer qwen: there is no program qwen in PATH"]
        ]
        for (const [args, why] of cases)
          for (const more of [[], ["--dry-run"]]) {
            const { isDone, said } = yield* conduct("plan.yaml", ...args, ...more)
            assert.isFalse(isDone, said)
            assert.include(`${said}\n`, why)
          }
      })
    )

    it.effect("a start without a work tree, or without the finishing command, is refused", () =>
      Effect.gen(function* () {
        const { conduct } = yield* opera("bypassPermissions", "claude")
        const bare = yield* conduct("plan.yaml")
        assert.isFalse(bare.isDone, bare.said)
        assert.include(bare.said, "git")
        const missing = yield* conduct("ended.yaml")
        assert.include(missing.said, "finish.command: there is no program nonesuch in PATH")
      })
    )

    it.effect(
      "an implementer below the permission that it commits with is told the flag, where the ceiling allows it",
      () =>
        Effect.gen(function* () {
          const { conduct } = yield* opera("bypassPermissions", "claude", "codex", "pi")
          const { said } = yield* conduct("plan.yaml", "--implementer", "pi", "--dry-run")
          assert.match(said, /bypassPermissions alone: conduct with permission bypassPermissions$/mu)
          // A reviewer commits nothing.
          assert.isTrue((yield* conduct("plan.yaml", "--reviewer", "codex", "--dry-run")).isDone)
        })
    )

    it.effect("a dry run looks up whether the implementer may commit, and has the lines that would let it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { conduct, home } = yield* opera("acceptEdits", "claude")
        const checks = Effect.map(
          conduct("plan.yaml", "--dry-run", "--json"),
          ({ said }) =>
            JSON.parse(said)["preflight"] as ReadonlyArray<{
              check: string
              standing: string
              todo: unknown
              refuses?: true
              rules?: unknown
            }>
        )
        const commits = Effect.map(checks, (all) => all.find(({ check }) => check === "commits"))
        const { said } = yield* conduct("plan.yaml", "--dry-run")
        assert.match(said, /^not ok +commits +no rule lets Claude Code commit without a question/mu)
        assert.match(said, /^ +-> .*"allow":\["Bash\(git add:\*\)","Bash\(git commit:\*\)"\]/mu)
        assert.deepInclude(yield* commits, {
          standing: "not ok",
          refuses: true,
          rules: ["Bash(git add:*)", "Bash(git commit:*)"]
        })
        yield* fs.makeDirectory(`${home}/.claude`)
        yield* fs.writeFileString(`${home}/.claude/settings.json`, '{"permissions":{"allow":["Bash(git:*)"]}}')
        assert.deepInclude(yield* commits, { standing: "ok", todo: null })
      })
    )
  })
})
