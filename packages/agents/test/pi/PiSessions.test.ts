import type { Agent } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Option } from "effect"
import { carrying, recorded as recordedBy, sessionOf } from "../Subjects.ts"
import { makePiReader } from "../../src/pi/PiOutput.ts"

const id = "fin-1"
const recorded = (name: string) => recordedBy("pi", name)

const piOf = (text: string, lives = false) => sessionOf(carrying.pi, text, lives)
const turnOf = (agent: Agent["Service"]) =>
  Effect.map(agent.signs(id), (signs) => Option.getOrUndefined(signs)?.turn?._tag)
it.layer(HostServices.layer)((it) => {
  describe("pi#records", () => {
    it.effect(
      "a full conversation that pi takes back is its own to mend while it lives, and no end after its death",
      () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* turnOf(yield* piOf(recorded("full"), true)), "Asked")
          const dead = yield* piOf(recorded("full"))
          assert.strictEqual(yield* turnOf(dead), "Failed")
          assert.isFalse(yield* dead.turnEnded({ pid: 70 }, id))
        })
    )
    it.effect("a compaction ends no turn and begins none, and after it a full conversation is asked again", () =>
      Effect.gen(function* () {
        const line = {
          type: "compaction",
          id: "c1",
          parentId: null,
          timestamp: "2026-11-23T06:00:00.000Z",
          summary: "s"
        }
        const compacted = (name: string) => piOf(`${recorded(name)}${JSON.stringify(line)}\n`)
        assert.strictEqual(yield* turnOf(yield* compacted("finished")), "Finished")
        assert.strictEqual(yield* turnOf(yield* compacted("full")), "Asked")
      })
    )
    it.effect("a failure that pi takes back is asked again, and the last one ends the turn", () =>
      Effect.gen(function* () {
        const lines = recorded("limited").trimEnd().split("\n")
        const retrying = yield* piOf(`${lines.slice(0, -1).join("\n")}\n`)
        assert.strictEqual(yield* turnOf(retrying), "Asked")
        assert.strictEqual(yield* turnOf(yield* piOf(recorded("limited"))), "Failed")
      })
    )
    it.effect("a limit that states its end has it", () =>
      Effect.gen(function* () {
        const stated = recorded("limited").replaceAll('\\"code\\"', '\\"resets_at\\":1795999999,\\"code\\"')
        const { turn } = Option.getOrThrow(yield* (yield* piOf(stated)).signs(id))
        assert.deepInclude(turn, { _tag: "Failed", reason: "usage-limit", resetsAt: 1_795_999_999_000 })
      })
    )
    it.effect("a prompt of a launch is taken by the first answer after it", () =>
      Effect.gen(function* () {
        const agent = yield* piOf(recorded("finished"))
        assert.isTrue(Option.isSome(yield* agent.handoffTaken(id, "work-1-resume-in-place-1")))
        assert.isTrue(Option.isNone(yield* agent.handoffTaken(id, "work-1")))
      })
    )
  })

  describe("pi#signs", () => {
    it.effect("a living pi holds its session, and its stillness is no sign", () =>
      Effect.gen(function* () {
        const agent = yield* piOf(recorded("killed"), true)
        assert.deepStrictEqual(
          (yield* agent.sessions).map(({ pid, project, sessionId }) => ({ pid, project, sessionId })),
          [{ pid: 70, project: "/srv/opera", sessionId: id }]
        )
        assert.isTrue(Option.getOrThrow(yield* agent.signs(id)).idles)
      })
    )
  })
})

describe("behaviour#last-words", () => {
  it("the output of --mode json shows each answer and a line for each tool, and other words stay", () => {
    const read = makePiReader()
    const shown = (record: unknown) => read(JSON.stringify(record))
    const said = { role: "assistant", content: [{ type: "text", text: "Done." }] }
    assert.deepStrictEqual(shown({ type: "message_end", message: said }), Option.some("Done."))
    assert.deepStrictEqual(
      shown({ type: "message_end", message: { role: "assistant", content: [], errorMessage: "429: x" } }),
      Option.some("429: x")
    )
    assert.deepStrictEqual(
      shown({ type: "tool_execution_start", toolName: "bash", args: { command: "ls\u001b[2J" } }),
      Option.some("· bash: ls\\u001b[2J")
    )
    assert.deepStrictEqual(shown({ type: "agent_settled" }), Option.some(""))
    assert.deepStrictEqual(read("All is complete."), Option.none())
    assert.deepStrictEqual(shown({ type: "other" }), Option.none())
  })
})
