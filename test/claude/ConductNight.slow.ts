import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { inject } from "vitest"
import { approved, assignmentOf, complete, conducted, write } from "./Conducted.ts"
import { type Part, until } from "./Lab.ts"
import type { Answer } from "./ModelEndpoint.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const tasks = Array.from({ length: 12 }, (_, at) => `scene${at + 1}`)
const [expires, dies] = [tasks[3]!, tasks[7]!]
const plan = `workflow_id: opera
finish: none
tasks:
${tasks.map((id) => `  - { id: ${id}, title: ${id}, acceptance_criteria: it is written }`).join("\n")}
`
const loginRefused: Answer = {
  refused: { status: 401, type: "authentication_error", message: "OAuth token has expired." }
}

describe("behaviour#nudges", () => {
  it.live.skipIf(claude === null)(
    "conduct: a night of twelve tasks, each stopped early, with a login that expires and an implementer that is killed",
    () =>
      Effect.gen(function* () {
        let isOut = false
        const met = new Set<string>()
        const part: Part = ({ known, said, toolResult }) =>
          Effect.sync(() => {
            if (isOut) return loginRefused
            const { role, task, word } = assignmentOf(known)
            if (role !== "Implementation")
              return toolResult === undefined ? bash("git log --oneline") : { text: approved(word) }
            if (!said.some((text) => text.includes("It is not done yet:")))
              return toolResult === undefined ? bash(write(task)) : { text: "Next I will run the tests." }
            const isFirst = !met.has(task)
            met.add(task)
            if (isFirst && task === expires) {
              isOut = true
              return loginRefused
            }
            return isFirst && task === dies ? bash("kill -9 $CLAUDE_PID; sleep 10") : { text: complete(word) }
          })
        const { asked, events, git, lab, state } = yield* conducted(claude!, plan, part, {
          meanwhile: (lab, said) =>
            Effect.gen(function* () {
              yield* until(
                "the refusal",
                Effect.map(said, (text) => text.includes('"_tag":"AgentLimited"'))
              )
              isOut = false
              // Another process of the agent renews it.
              const fs = yield* FileSystem.FileSystem
              yield* fs.writeFileString(`${lab.home}/.claude/.credentials.json`, "{}")
            }).pipe(Effect.provide(services))
        })
        assert.deepStrictEqual(
          asked,
          tasks.flatMap((task) => [
            `${task} implementer`,
            `${task} implementer again`,
            ...(task === expires || task === dies ? [`${task} implementer again`] : []),
            `${task} reviewer`
          ])
        )
        const sessions = new Set(
          events.flatMap(({ _tag, role, sessionId }) =>
            _tag === "AgentAsked" && role === "implementer" ? [sessionId] : []
          )
        )
        assert.strictEqual(sessions.size, tasks.length)
        const tags = new Set(events.map(({ _tag }) => _tag))
        for (const none of ["ImplementationFailed", "ReviewFailed", "TaskEscalated", "RunPaused"])
          assert.isFalse(tags.has(none), none)
        assert.deepStrictEqual(
          state.tasks.map(({ attempts, id, status }: Record<string, unknown>) => [id, status, attempts]),
          tasks.map((id) => [id, "completed", 1])
        )
        assert.strictEqual(git("rev-list", "--count", "HEAD").trim(), String(tasks.length + 1))
        const notices = (yield* lab.read(`${lab.home}/notices`)).trim().split("\n")
        assert.deepStrictEqual(
          notices.map((line) => JSON.parse(line).kind),
          ["waiting_for_a_person", "cleared", "finished"]
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})
