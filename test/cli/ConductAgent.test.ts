import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { first, git, theatre } from "./CliTheatre.ts"
import { liveCase } from "./Live.ts"

describe("behaviour#agents-of-a-run", () => {
  it.live("the agent of docs/conduct-agent.md works, and its work passes the review", () =>
    Effect.gen(function* () {
      const the = yield* theatre({ millis: 0, tasks: {} }, first)
      const page = fs.readFileSync(fileURLToPath(new URL("../../docs/conduct-agent.md", import.meta.url)), "utf8")
      const [, script = ""] = /```sh[^\n]*\n([^]*?)```/u.exec(page) ?? []
      assert.isAtMost(script.trim().split("\n").length, 11, "ten lines, and the one that names the shell")
      const file = join(the.home, "agent")
      fs.writeFileSync(file, script, { mode: 0o755 })
      const environment = { SOUFFLEUR_AGENT_COMMAND: file, TEST_KEY: "topsecret" }
      const { code, errors, lines } = yield* the.run(["conduct", "plan.yaml"], environment)
      assert.strictEqual(code, 0, [errors, ...lines].join("\n"))
      assert.include(errors, ", implementer by agent, reviewer by agent", "by its own name")
      assert.include(
        errors,
        "the agent does not get TEST_KEY: where it needs it, set SOUFFLEUR_AGENT_ENVIRONMENT=TEST_KEY"
      )
      assert.notInclude(errors, "topsecret")
      assert.notInclude(errors, "lets Claude Code commit", "nothing is known of the rules of another program")
      assert.include(lines.join("\n"), "Task task-001 is complete")
      assert.strictEqual(git(the.project, "rev-list", "--count", "HEAD").trim(), "2")
    }).pipe(Effect.scoped)
  )

  it.live("a start is refused before anything is opened where no rule lets Claude Code commit", () =>
    Effect.gen(function* () {
      const the = yield* theatre({ millis: 0, tasks: {} }, first)
      const file = join(the.home, "claude-code")
      fs.mkdirSync(file)
      fs.writeFileSync(join(file, "claude"), "#!/bin/sh\nexit 1\n", { mode: 0o755 })
      const { code, errors } = yield* the.run(["conduct", "plan.yaml"], {
        SOUFFLEUR_AGENT_COMMAND: join(file, "claude")
      })
      assert.strictEqual(code, 2, errors)
      assert.match(errors, /^not ok +commits +no rule lets Claude Code commit/mu)
      assert.strictEqual((yield* the.run(["conduct", "status"])).code, 2, "there is no run")
      assert.include(errors, '{"permissions":{"allow":["Bash(git add:*)","Bash(git commit:*)"]}}')
    }).pipe(Effect.scoped)
  )

  liveCase(
    "an agent gets the variables of AGENT_ENVIRONMENT and the short list; a name that it adds to the config file has no effect",
    () =>
      Effect.gen(function* () {
        const the = yield* theatre({ millis: 0, tasks: {} }, first)
        const page = fs.readFileSync(fileURLToPath(new URL("../../docs/conduct-agent.md", import.meta.url)), "utf8")
        const [, script = ""] = /```sh[^\n]*\n([^]*?)```/u.exec(page) ?? []
        const [file, seen, config] = [
          join(the.home, "agent"),
          join(the.home, "seen"),
          join(the.project, ".orchestra_configs")
        ]
        const writes = `mkdir -p -m 755 ${config}; printf 'AGENT_ENVIRONMENT=OTHER_KEY\\n' > ${config}/souffleur; chmod 644 ${config}/souffleur`
        const notes = `echo "$GH_TOKEN|$OTHER_KEY|$NODE_OPTIONS" >> ${seen}; ${writes}`
        fs.writeFileSync(file, script.replace("#!/bin/sh\n", `#!/bin/sh\n${notes}\n`), { mode: 0o755 })
        const variables = { SOUFFLEUR_AGENT_COMMAND: file, GH_TOKEN: "a-token", OTHER_KEY: "a-key" }
        fs.mkdirSync(config, { mode: 0o755 })
        fs.writeFileSync(join(config, "souffleur"), "AGENT_ENVIRONMENT=GH_TOKEN\n", { mode: 0o644 })
        assert.strictEqual((yield* the.ask(["config", "--trust"])).code, 0)
        const { code, errors, lines } = yield* the.run(["conduct", "plan.yaml"], variables)
        assert.strictEqual(code, 0, [errors, ...lines].join("\n"))
        assert.deepStrictEqual(fs.readFileSync(seen, "utf8").split("\n"), ["a-token||", "a-token||", ""])
        assert.match(lines.join("\n"), /The config file asks for another AGENT_ENVIRONMENT/u)
        const printed = [...lines, errors, JSON.stringify((yield* the.ask(["conduct", "log", "--json"])).lines)].join(
          "\n"
        )
        assert.notInclude(printed, "a-token")
        const widened = yield* the.run(["conduct", "plan.yaml"], {
          ...variables,
          SOUFFLEUR_AGENT_ENVIRONMENT: "GH_TOKEN,LD_PRELOAD"
        })
        assert.deepStrictEqual(
          [widened.code, /AGENT_ENVIRONMENT: must not name LD_PRELOAD/u.test(widened.errors)],
          [2, true],
          widened.errors
        )
      }).pipe(Effect.scoped)
  )
})
