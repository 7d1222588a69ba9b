import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { first, git, theatre } from "./Theatre.ts"

it.live("the agent that docs/conduct-agent.md shows is one: its work passes its review", () =>
  Effect.gen(function* () {
    const the = yield* theatre({ millis: 0, tasks: {} }, first)
    const page = fs.readFileSync(fileURLToPath(new URL("../../docs/conduct-agent.md", import.meta.url)), "utf8")
    const [, script = ""] = /```sh\n([^]*?)```/u.exec(page) ?? []
    assert.isAtMost(script.trim().split("\n").length, 11, "ten lines, and the one that names the shell")
    const file = join(the.home, "agent")
    fs.writeFileSync(file, script, { mode: 0o755 })
    const { code, errors, lines } = yield* the.run(["conduct", "plan.yaml"], { SOUFFLEUR_AGENT_COMMAND: file })
    assert.strictEqual(code, 0, [errors, ...lines].join("\n"))
    assert.include(lines.join("\n"), "task task-001 is complete")
    assert.strictEqual(git(the.project, "rev-list", "--count", "HEAD").trim(), "2")
  }).pipe(Effect.scoped)
)
