import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { inject } from "vitest"
import { approved, assignmentOf, complete, conducted, write } from "./Conducted.ts"
import type { Part } from "./Lab.ts"
import { limited } from "./ModelEndpoint.ts"
import { bash, services } from "./Watched.ts"

const claude = inject("claude")

const plan = `workflow_id: opera
finish: none
tasks:
  - { id: overture, title: The overture, acceptance_criteria: it is written }
  - { id: finale, title: The finale, acceptance_criteria: it is written, depends_on: [overture] }
`
const rejected = (word: string) =>
  `\`\`\`\nREJECTED ${word}\nsummary: a line is missing\nissues:\n- one line is not enough\nsuggestions:\n- write another\n\`\`\``

describe("behaviour#plan", () => {
  it.live.skipIf(claude === null)("conduct: two tasks and one rejection by real agents, with real commits", () =>
    Effect.gen(function* () {
      let reviews = 0
      const { asked, git, lab, state } = yield* conducted(claude!, plan, ({ known, toolResult }) => {
        const { role, task, word } = assignmentOf(known)
        if (toolResult === undefined)
          return Effect.succeed(bash(role === "Implementation" ? write(task) : "git log --oneline"))
        return Effect.sync(() => ({
          text: (role === "Implementation" ? complete : ++reviews === 1 ? rejected : approved)(word)
        }))
      })
      assert.deepStrictEqual(asked, [
        "overture implementer",
        "overture reviewer",
        "overture implementer again",
        "overture reviewer",
        "finale implementer",
        "finale reviewer"
      ])
      assert.strictEqual(git("rev-list", "--count", "HEAD").trim(), "4")
      assert.strictEqual(state.tasks[0].implementer_commits.length, 2)
      assert.strictEqual(yield* lab.stateOf("task-00"), "complete")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live.skipIf(claude === null)(
    "conduct: an implementer meets a usage limit; it is waited for, and the same one goes on, with no attempt counted",
    () =>
      Effect.gen(function* () {
        const met: Array<number> = []
        const part: Part = ({ known, toolResult }) =>
          Effect.gen(function* () {
            const { role, task, word } = assignmentOf(known)
            if (role !== "Implementation")
              return toolResult === undefined ? bash("git log --oneline") : { text: approved(word) }
            if (met.length > 0) return { text: complete(word) }
            if (toolResult === undefined) return bash(write(task))
            const resetsAt = Math.ceil((yield* Clock.currentTimeMillis) / 1000) + 4
            met.push(resetsAt * 1000)
            return limited(resetsAt)
          })
        const overture = plan.slice(0, plan.indexOf("  - { id: finale"))
        const { asked, events, lab, state } = yield* conducted(claude!, overture, part, { account: "subscriber" })
        const [resetsAt] = met
        assert.deepStrictEqual(asked, ["overture implementer", "overture implementer again", "overture reviewer"])
        const sessions = events.filter(({ _tag }) => _tag === "AgentAsked").map(({ sessionId }) => sessionId)
        assert.deepStrictEqual([sessions[0] === sessions[1], sessions[1] === sessions[2]], [true, false])
        const limits = events.filter(({ _tag }) => _tag === "AgentLimited")
        assert.deepStrictEqual(
          limits.map(({ kind, resetsAt, until }) => [kind, resetsAt, until]),
          // A busy machine may hear of it after its end.
          [["usage-limit", resetsAt, Math.max(resetsAt!, Date.parse(String(limits[0]!["at"])))]]
        )
        assert.isAtLeast(Date.parse(String(events.find(({ resumed }) => resumed === true)!["at"])), resetsAt!)
        assert.isUndefined(events.find(({ _tag }) => _tag === "ImplementationFailed"))
        assert.deepInclude(state.tasks[0], { status: "completed", attempts: 1 })
        const notices = (yield* lab.read(`${lab.home}/notices`)).trim().split("\n")
        assert.deepStrictEqual(
          notices.map((line) => JSON.parse(line).kind),
          ["usage_limit", "cleared", "finished"]
        )
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#nudges", () => {
  it.live.skipIf(claude === null)("conduct: an implementer that hangs is ended, and its session goes on", () =>
    Effect.gen(function* () {
      const overture = plan.slice(0, plan.indexOf("  - { id: finale"))
      let calls = 0
      const { asked, events, state } = yield* conducted(
        claude!,
        overture,
        ({ known, toolResult }) => {
          const { role, task, word } = assignmentOf(known)
          if (role !== "Implementation")
            return Effect.succeed(toolResult === undefined ? bash("git log --oneline") : { text: approved(word) })
          return Effect.sync(() => {
            calls += 1
            if (calls === 1) return bash(write(task))
            // It writes its records a moment later.
            return calls === 2 ? bash("sleep 1; kill -STOP $CLAUDE_PID; sleep 600") : { text: complete(word) }
          })
        },
        { settings: { SOUFFLEUR_STALL_AFTER: "3 seconds" } }
      )
      assert.deepStrictEqual(asked, ["overture implementer", "overture implementer again", "overture reviewer"])
      const ends = events.filter(({ _tag }) => _tag === "AgentEnding").map(({ reason }) => reason)
      assert.deepStrictEqual(ends, ["hung"])
      assert.match(String(events.find(({ _tag }) => _tag === "AgentNudged")?.["message"]), /^the implementer hung: /u)
      assert.deepInclude(state.tasks[0], { status: "completed", attempts: 1 })
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#final-review", () => {
  it.live.skipIf(claude === null)(
    "conduct: minor findings are kept for a person, and the review of all tasks rejects once, by real agents",
    () =>
      Effect.gen(function* () {
        const prompts: Array<string> = []
        let reviews = 0
        const noted = (word: string) => approved(word).replace(/\n```$/u, "\nminor:\n- its name is long\n```")
        const blocking = (word: string) => rejected(word).replace("issues:", "blocking:")
        const { asked, events, state, told } = yield* conducted(
          claude!,
          plan.replace("tasks:", "final_review: true\ntasks:"),
          ({ known, toolResult, turn }) => {
            const { role, task, word } = assignmentOf(known)
            if (turn && toolResult === undefined && role === "Implementation")
              prompts.push(known.slice(known.lastIndexOf("## Implementation Task")))
            if (toolResult === undefined)
              return Effect.succeed(bash(role === "Implementation" ? write(task) : "git log --oneline"))
            return Effect.sync(() => {
              if (role === "Implementation") return { text: complete(word) }
              reviews += 1
              return { text: (reviews === 1 ? noted : reviews === 3 ? blocking : approved)(word) }
            })
          }
        )
        assert.deepStrictEqual(asked, [
          "overture implementer",
          "overture reviewer",
          "finale implementer",
          "finale reviewer",
          "final-review reviewer",
          "final-review implementer",
          "final-review reviewer"
        ])
        assert.deepStrictEqual(
          events.flatMap(({ _tag, minor }) => (_tag === "ReviewApproved" ? [minor] : [])),
          [["its name is long"], [], []]
        )
        assert.deepStrictEqual(state.tasks[0].minor, ["its name is long"])
        assert.strictEqual(prompts.length, 3)
        for (const prompt of prompts) assert.notInclude(prompt, "its name is long")
        assert.include(prompts[2], "one line is not enough")
        assert.include(yield* told(["conduct", "status"]), "    minor: its name is long")
        assert.include(yield* told(["report"]), "  - minor: its name is long")
      }).pipe(Effect.scoped, Effect.provide(services))
  )
})

describe("behaviour#finishing-step", () => {
  it.live.skipIf(claude === null)("conduct: a finishing skill is run by the finisher's prompt", () =>
    Effect.gen(function* () {
      const overture = plan.slice(0, plan.indexOf("  - { id: finale"))
      const { lab, state } = yield* conducted(
        claude!,
        overture.replace("finish: none", "finish: { skill: bow }"),
        ({ known, toolResult }) => {
          const { role, task, word } = assignmentOf(known)
          if (role === "") return Effect.succeed({ text: "The bow is taken." })
          if (toolResult === undefined)
            return Effect.succeed(bash(role === "Implementation" ? write(task) : "git log --oneline"))
          return Effect.succeed({ text: (role === "Implementation" ? complete : approved)(word) })
        }
      )
      assert.strictEqual(state.finishing, "done")
      const asked = (yield* lab.asked).find(({ turn, known }) => turn && assignmentOf(known).role === "")
      for (const told of ["<command-name>/bow</command-name>", "\nTake the bow.\n", "No person can be asked."])
        assert.include(asked?.known, told)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
