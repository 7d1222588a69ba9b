import { execFileSync } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { makeLab } from "./Lab.ts"
import { headless } from "./Stage.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const plan = `workflow_id: opera
finish: none
tasks:
  - { id: overture, title: The overture, acceptance_criteria: it is written }
  - { id: finale, title: The finale, acceptance_criteria: it is written, depends_on: [overture] }
`
const last = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].at(-1)?.[1] ?? ""
const write = (task: string) =>
  `echo line >> ${task}.txt && git add ${task}.txt && git -c user.name=A -c user.email=a@localhost commit -q -m "${task}" && git rev-parse HEAD`
const complete = "It is written.\n\n```\nIMPLEMENTATION_COMPLETE\ncommits: [HEAD]\nfiles_changed: [a]\ntest_file: none\n```"
const approved = "I have looked.\n\n```\nAPPROVED\nsummary: it is written\n```"
const rejected = "```\nREJECTED\nsummary: a line is missing\nissues:\n- one line is not enough\nsuggestions:\n- write another\n```"

it.live.skipIf(claude === null)("conduct: two tasks and one rejection by real agents, with real commits", () =>
  Effect.gen(function* () {
    let reviews = 0
    const lab = yield* makeLab(claude!, "opera", ({ known, toolResult }) => {
      const role = last(known, /^## (Implementation|Code Review) Task$/gmu)
      const task = last(known, /^\*\*Task ID:\*\* (\w+)$/gmu)
      if (toolResult === undefined) return Effect.succeed(bash(role === "Implementation" ? write(task) : "git log --oneline"))
      return Effect.sync(() => ({ text: role === "Implementation" ? complete : ++reviews === 1 ? rejected : approved }))
    })
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", lab.project, ...args], { encoding: "utf8" })
    git("init", "-q", "-b", "main")
    git("-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "base")
    yield* lab.write("plan.yaml", plan)
    // In print mode nobody can be asked: the project allows what its agents need.
    yield* lab.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }))
    const stage = yield* headless(lab)
    const souffleur = yield* stage.souffleur(["conduct", "plan.yaml", "--json"])
    const code = yield* souffleur.exitCode
    const said = yield* souffleur.said
    assert.strictEqual(code, 0, said)
    const events = said
      .split("\n")
      .flatMap((line): ReadonlyArray<{ _tag: string; [field: string]: unknown }> => (line.startsWith("{") ? [JSON.parse(line)] : []))
    const asked = events.filter(({ _tag }) => _tag === "AgentAsked")
    assert.deepStrictEqual(
      asked.map(({ resumed, role, taskId }) => `${String(taskId)} ${String(role)}${resumed === true ? " again" : ""}`),
      [
        "overture implementer",
        "overture reviewer",
        "overture implementer again",
        "overture reviewer",
        "finale implementer",
        "finale reviewer"
      ]
    )
    assert.strictEqual(git("rev-list", "--count", "HEAD").trim(), "4")
    const state = JSON.parse(yield* lab.read("state.json"))
    assert.deepInclude(state, { phase: "completion", current_task: null })
    assert.strictEqual(state.tasks[0].implementer_commits.length, 2)
    assert.strictEqual(yield* lab.stateOf("task-00"), "complete")
    const { most } = yield* lab.agents
    assert.strictEqual(most, 1)
  }).pipe(Effect.scoped, Effect.provide(services))
)
