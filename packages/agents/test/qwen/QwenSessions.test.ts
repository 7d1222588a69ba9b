import { type Agent, clamp } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { carrying, recorded as recordedBy, sessionOf } from "../Subjects.ts"

const id = "fin-1"
const recorded = (name: string) => recordedBy("qwen", name)

const qwenOf = (text: string, lives = false) => sessionOf(carrying.qwen, text, lives)
const turnOf = (agent: Agent["Service"]) =>
  Effect.map(agent.signs(id), (signs) => Option.getOrUndefined(signs)?.turn?._tag)
it.layer(HostServices.layer)((it) => {
  describe("qwen#records", () => {
    it.effect("a call may take as long as the user's settings give the service", () =>
      Effect.gen(function* () {
        const agent = yield* qwenOf(recorded("killed"))
        const limit = Effect.map(agent.signs(id), (said) => Option.getOrThrow(said).callLimit)
        assert.isUndefined(yield* limit)
        const { path } = yield* agent.sessionFile(id)
        const settings = path.slice(0, path.indexOf("/projects/")) + "/settings.json"
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(settings, '{ "model": { "generationConfig": { "timeout": 1800000 } } } // mine')
        assert.strictEqual(yield* limit, 1_800_000)
      })
    )
    it.effect("a limit is the agent's own to mend for some minutes while it lives, and over after its death", () =>
      Effect.gen(function* () {
        const text = recorded("limited")
        const living = yield* qwenOf(text, true)
        const { turn } = Option.getOrThrow(yield* (yield* qwenOf(text)).signs(id))
        assert.deepInclude(turn, { _tag: "Failed", reason: "usage-limit" })
        yield* TestClock.setTime(turn!.at + 539_000)
        assert.strictEqual(yield* turnOf(living), "Asked")
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* turnOf(living), "Failed")
      })
    )
    it.effect("a tool that a permission refused is told, and a tool that failed is not", () =>
      Effect.gen(function* () {
        const refusedIn = (text: string) =>
          qwenOf(text).pipe(
            Effect.flatMap((agent) => agent.signs(id)),
            Effect.map((signs) => Option.getOrThrow(signs).refused)
          )
        assert.isTrue(yield* refusedIn(recorded("refused")))
        assert.isUndefined(yield* refusedIn(recorded("refused").replaceAll("execution_denied", "tool_not_registered")))
      })
    )
    it.effect("a refused account is the agent's to mend at no time", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* turnOf(yield* qwenOf(recorded("account"), true)), "Failed")
      })
    )
    it.effect("an error of a call beside the conversation is no end of its turn", () =>
      Effect.gen(function* () {
        const beside = recorded("account").replaceAll("########0", "-compress")
        assert.strictEqual(yield* turnOf(yield* qwenOf(beside)), "Asked")
      })
    )
  })

  describe("behaviour#permission-ceiling", () => {
    it.effect("an agent that records no mode is not launched where it would have to ask", () =>
      Effect.gen(function* () {
        const agent = yield* qwenOf(recorded("finished"))
        assert.isTrue(Option.isNone(yield* agent.mode(id)))
        const session = { _tag: "Resume", sessionId: id } as const
        const permission = clamp("acceptEdits", "acceptEdits")
        const refused = agent.command({ session, permission, heldTo: "plan", prompt: "", print: true })
        assert.include((yield* Effect.flip(refused)).problem, "cannot be held to that")
      })
    )
  })
})

it.layer(HostServices.layer)((it) => {
  describe("behaviour#subagents", () => {
    it.effect("what a subagent did and used counts for its session, and its turns for no cap", () =>
      Effect.gen(function* () {
        const agent = yield* qwenOf(recorded("finished"))
        const { path } = yield* agent.sessionFile(id)
        const before = yield* agent.spent([id], 0)
        const fs = yield* FileSystem.FileSystem
        const below = path.replace(`chats/${id}.jsonl`, `subagents/${id}`)
        yield* fs.makeDirectory(below, { recursive: true })
        // Its results have no status, and a failed one has an error.
        const record = (response: object) =>
          `${JSON.stringify({
            type: "tool_result",
            isSidechain: true,
            message: { role: "user", parts: [{ functionResponse: { id: "1", name: "write_file", response } }] },
            toolCallResult: { callId: "1", durationMs: 3 }
          })}\n`
        const used = JSON.stringify({ type: "assistant", isSidechain: true, usageMetadata: { totalTokenCount: 70 } })
        yield* fs.writeFileString(
          `${below}/agent-a1.jsonl`,
          `${record({ output: "written" })}${record({ error: "refused" })}${used}\n`
        )
        assert.strictEqual(yield* agent.toolResults([id]), 2)
        assert.deepStrictEqual(yield* agent.spent([id], 0), { ...before, tokens: before.tokens + 70 })
      })
    )
  })
})
