import * as fs from "node:fs"
import { Agent, Processes } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { FakeProcesses } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import { makeCopilotReader } from "../../src/copilot/CopilotOutput.ts"
import { copilot } from "../../src/copilot/Copilot.ts"

const id = "fin-1"
const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")

/** Makes the folder of a Copilot CLI with this session. Its launcher and it live, or neither. */
const copilotOf = Effect.fnUntraced(function* (text: string, lives = false) {
  const fs = yield* FileSystem.FileSystem
  const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-copilot-" })
  yield* fs.makeDirectory(`${agentDir}/session-state/${id}`, { recursive: true })
  yield* fs.writeFileString(`${agentDir}/session-state/${id}/events.jsonl`, text)
  const processes = new FakeProcesses()
  const environment = { COPILOT_AGENT_SESSION_ID: id }
  if (lives) {
    processes.run({ pid: 70, words: ["node", "/opt/bin/copilot", "--session-id", id], environment })
    const words = ["/opt/node_modules/@github/copilot-linux-x64/copilot", "--session-id", id]
    processes.run({ pid: 71, parent: 70, words, environment })
  }
  const options = { agentDir, agentCommand: { program: "copilot", args: [] }, environment: {} }
  const layer = Layer.provide(copilot.layer(options), Layer.succeed(Processes, processes.service))
  return Context.get(yield* Layer.build(layer), Agent)
})
const turnOf = (agent: Agent["Service"]) =>
  Effect.map(agent.signs(id), (signs) => Option.getOrUndefined(signs)?.turn?._tag)
it.layer(HostServices.layer)((it) => {
  describe("copilot#processes", () => {
    it.effect("the launcher is the process of a session, and the agent behind it is none beside it", () =>
      Effect.gen(function* () {
        const agent = yield* copilotOf(recorded("killed"), true)
        assert.deepStrictEqual(
          (yield* agent.sessions).map(({ pid, project, sessionId }) => ({ pid, project, sessionId })),
          [{ pid: 70, project: "/srv/opera", sessionId: id }]
        )
      })
    )
  })

  describe("copilot#records", () => {
    it.effect("a compaction after a mark is proved by its record, and a failed one proves nothing", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const compacted = (text: string) =>
          Effect.gen(function* () {
            const agent = yield* copilotOf(recorded("finished"))
            const mark = yield* agent.mark(id)
            yield* fs.writeFileString(mark.path, text, { flag: "a" })
            assert.strictEqual(yield* turnOf(agent), "Finished")
            return yield* agent.compactedSince(mark)
          })
        const after = recorded("compacted").slice(recorded("finished").length)
        assert.strictEqual(yield* compacted(after), "summary")
        assert.strictEqual(yield* compacted(after.replaceAll('"success":true', '"success":false')), "not yet")
      })
    )
    it.effect("a written file is progress and modified, and a tool that only read or failed is no progress", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const agent = yield* copilotOf(recorded("written"))
        assert.strictEqual(yield* agent.toolResults([id, id]), 1)
        const out = `${yield* fs.makeTempDirectoryScoped()}/out.md`
        yield* agent.exportSession(id, out)
        assert.include(yield* fs.readFileString(out), "song.txt`: 1 edit")
        for (const [was, is] of [
          ['"success":true', '"success":false'],
          ['"fileEdits":[', '"others":[']
        ] as const) {
          const without = yield* copilotOf(recorded("written").replaceAll(was, is))
          assert.deepStrictEqual([yield* without.toolResults([id]), yield* without.usedTools(id)], [0, true])
        }
      })
    )
    it.effect("a tool that was refused is told until a later tool or prompt, and a tool that failed is not", () =>
      Effect.gen(function* () {
        const refusedIn = (text: string) =>
          copilotOf(text).pipe(
            Effect.flatMap((agent) => agent.signs(id)),
            Effect.map((signs) => Option.getOrUndefined(signs)?.refused === true)
          )
        const refused = recorded("refused")
        const [, prompt = "", , , , , , result = ""] = refused.split("\n")
        const failed = result.replace('"code":"denied"', '"code":"failure"')
        // Without the context in use, the reading goes on behind the newest tool.
        const unmeasured = (text: string) =>
          text
            .split("\n")
            .filter((line) => !line.includes('"type":"session.usage_record"'))
            .join("\n")
        assert.deepStrictEqual(
          yield* Effect.forEach(
            [
              refused,
              refused.replace(result, failed),
              refused.replace(result, `${result}\n${failed}`),
              refused.replace(result, `${failed}\n${result}`),
              refused.replace(result, `${result}\n${prompt}`),
              unmeasured(refused),
              unmeasured(refused.replace(result, `${result}\n${failed}`))
            ],
            refusedIn
          ),
          [true, false, false, true, false, true, false]
        )
      })
    )
    it.effect("a subagent's words are not of the conversation", () =>
      Effect.gen(function* () {
        const own = recorded("finished")
        const theirs = own.replaceAll('"data":{', '"data":{"parentToolCallId":"t1",')
        assert.isUndefined(yield* turnOf(yield* copilotOf(theirs)))
        assert.strictEqual(yield* turnOf(yield* copilotOf(own)), "Finished")
        // They are work of the session all the same.
        const { spent, toolResults } = yield* copilotOf(theirs)
        const of = yield* copilotOf(own)
        assert.strictEqual(yield* toolResults([id]), yield* of.toolResults([id]))
        assert.strictEqual((yield* spent([id], 0)).tokens, (yield* of.spent([id], 0)).tokens)
      })
    )
  })
})

describe("behaviour#last-words", () => {
  it("the output of --output-format json shows each answer and a line for each tool, and other words stay", () => {
    const read = makeCopilotReader()
    const shown = (type: string, data: object) => read(JSON.stringify({ type, data }))
    assert.deepStrictEqual(shown("assistant.message", { content: "Done." }), Option.some("Done."))
    assert.deepStrictEqual(shown("session.error", { message: "429 limit" }), Option.some("429 limit"))
    assert.deepStrictEqual(
      shown("tool.execution_start", { toolName: "bash", arguments: { command: "ls\u001b[2J" } }),
      Option.some("· bash: ls\\u001b[2J")
    )
    assert.deepStrictEqual(shown("assistant.turn_end", {}), Option.some(""))
    assert.deepStrictEqual(read("All is complete."), Option.none())
    assert.deepStrictEqual(shown("other", {}), Option.none())
  })
})
