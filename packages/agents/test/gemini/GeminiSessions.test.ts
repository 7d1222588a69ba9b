import * as fs from "node:fs"
import { Agent, Processes } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { FakeProcesses } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import { gemini } from "../../src/gemini/Gemini.ts"

const id = "90000001-1111-4111-8111-111111111111"
const recorded = (name: string) => fs.readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8")

/** Makes the home of a Gemini CLI with these session files, by their minutes. */
const geminiOf = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  {
    args = [],
    processes = new FakeProcesses()
  }: { readonly args?: ReadonlyArray<string>; readonly processes?: FakeProcesses } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-gemini-" })
  const folder = `${agentDir}/.gemini/tmp/opera/chats`
  yield* fs.makeDirectory(folder, { recursive: true })
  for (const [minute, text] of Object.entries(files))
    yield* fs.writeFileString(`${folder}/session-2026-11-23T12-${minute}-90000001.jsonl`, text)
  const options = { agentDir, agentCommand: { program: "gemini", args }, environment: {} }
  const layer = Layer.provide(gemini.layer(options), Layer.succeed(Processes, processes.service))
  const output = `${agentDir}/launch.out`
  const agent = Context.get(yield* Layer.build(layer), Agent)
  return {
    agent,
    folder,
    /** The state of the turn after a launch that printed this. */
    turnAfter: Effect.fnUntraced(function* (printed: string) {
      yield* fs.writeFileString(output, printed, { mode: 0o600 })
      return Option.getOrUndefined(yield* agent.signs(id, output))?.turn
    })
  }
})
it.layer(HostServices.layer)((it) => {
  describe("gemini#files", () => {
    it.effect("a session is found by the id in its file, and the file of a resume is none", () =>
      Effect.gen(function* () {
        const stub = recorded("finished").split("\n").slice(0, 2).join("\n")
        const foreign = recorded("killed")
        const { agent, folder } = yield* geminiOf({ "44": recorded("finished"), "46": stub, "43": foreign })
        const of = (asked: string) => Effect.map(agent.sessionFile(asked), ({ path, sessionId }) => [path, sessionId])
        const found = [`${folder}/session-2026-11-23T12-44-90000001.jsonl`, id]
        assert.deepStrictEqual(yield* of(id), found)
        assert.deepStrictEqual(yield* of(id.slice(0, 12)), found)
        assert.deepStrictEqual(yield* of(id), found)
        assert.deepStrictEqual(Option.getOrUndefined(yield* agent.projectOf(id)), "/srv/opera")
        assert.strictEqual((yield* Effect.flip(agent.sessionFile(`${id.slice(0, 8)}-2`))).reason, "missing")
        assert.strictEqual((yield* Effect.flip(agent.sessionFile("9000000"))).reason, "ambiguous")
      })
    )
    it.effect("a session whose first request failed has nothing to resume, and is begun by its export", () =>
      Effect.gen(function* () {
        const [meta, context, prompt, ...rest] = recorded("finished").trim().split("\n")
        // Seen with 0.61.0: where the first request fails, a new history takes the prompt back.
        const taken = [meta, context, prompt, context].join("\n")
        const resumableOf = (text: string) =>
          Effect.gen(function* () {
            const { agent } = yield* geminiOf({ "44": `${text}\n` })
            return Option.getOrThrow(yield* agent.signs(id)).resumable
          })
        for (const text of [taken, [meta, context].join("\n"), meta!]) assert.isFalse(yield* resumableOf(text))
        for (const text of [[meta, context, prompt].join("\n"), [taken, ...rest].join("\n")])
          assert.isUndefined(yield* resumableOf(text))
        const { agent, folder } = yield* geminiOf({ "44": `${taken}\n` })
        yield* agent.exportSession(id, `${folder}/export.md`)
        const fs = yield* FileSystem.FileSystem
        assert.include(yield* fs.readFileString(`${folder}/export.md`), "RUN echo hello > made.txt")
      })
    )
  })

  describe("gemini#records", () => {
    it.effect("a session file alone ends no turn, because a killed tool leaves the same records", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent } = yield* geminiOf({ "44": recorded("finished") })
        const turnOf = Effect.map(agent.signs(id), (signs) => Option.getOrThrow(signs).turn?._tag)
        assert.isUndefined(yield* turnOf)
        assert.isFalse(yield* agent.turnEnded({ pid: 70 }, id))
        const [path] = [(yield* agent.sessionFile(id)).path]
        const lines = recorded("finished").trim().split("\n")
        yield* fs.writeFileString(path, lines.slice(0, -2).join("\n"))
        assert.strictEqual(yield* turnOf, "Asked")
      })
    )
    it.effect("an answer that is written again with its tools is said once, with each tool", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent } = yield* geminiOf({ "44": recorded("written").replaceAll("90000007", "90000001") })
        const out = `${yield* fs.makeTempDirectoryScoped()}/out.md`
        yield* agent.exportSession(id, out)
        const markdown = yield* fs.readFileString(out)
        assert.lengthOf(markdown.split("I write."), 2)
        assert.include(markdown, "song.txt`: 1 edit")
        assert.notInclude(markdown, "session_context")
        assert.strictEqual(yield* agent.toolResults([id, id]), 1)
        assert.deepInclude(yield* agent.spent([id], 0), { tokens: 24_557, dollars: 0, turns: 2 })
        const failed = recorded("written").replaceAll("90000007", "90000001").replaceAll('"success"', '"error"')
        const { agent: other } = yield* geminiOf({ "44": failed })
        assert.deepStrictEqual([yield* other.toolResults([id]), yield* other.usedTools(id)], [0, true])
      })
    )
    it.effect("a compaction is a new history with its summary, and a resume that repeats it is none", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent } = yield* geminiOf({ "44": recorded("compressed").replaceAll("90000008", "90000001") })
        const out = `${yield* fs.makeTempDirectoryScoped()}/out.md`
        yield* agent.exportSession(id, out)
        const markdown = yield* fs.readFileString(out)
        const parts = markdown.split(/^<!-- compact_boundary/mu)
        // It compacted before the second prompt, and in the middle of its turn. The third prompt was of a resume.
        assert.lengthOf(parts, 3)
        assert.include(parts[2], "<overall_goal>the word is quinquereme")
        for (const kept of ["RUN echo two", "I will run it.", "RUN echo three"]) assert.include(parts[2], kept)
        assert.notInclude(parts[2], "Thanks for the additional context")
        assert.notInclude(parts[2], "remember the word")
      })
    )
  })

  describe("gemini#output", () => {
    it.effect("an agent that ended by a signal with exit code 0 printed no end of its turn", () =>
      Effect.gen(function* () {
        const { turnAfter } = yield* geminiOf({ "44": recorded("finished") })
        const lines = recorded("finished.output").trim().split("\n")
        assert.strictEqual((yield* turnAfter(lines.join("\n")))?._tag, "Finished")
        assert.strictEqual((yield* turnAfter(lines.slice(0, -1).join("\n")))?._tag, "Asked")
        assert.deepInclude(yield* turnAfter(recorded("killed.output")), { _tag: "Tool", name: "run_shell_command" })
        assert.isUndefined(yield* turnAfter("no record\n"))
      })
    )
    it.effect("a tool beside another that has ended is outstanding, until the model answers again", () =>
      Effect.gen(function* () {
        const { turnAfter } = yield* geminiOf({ "44": recorded("finished") })
        const tool = (id: string) =>
          JSON.stringify({ type: "tool_use", tool_name: "glob", tool_id: id, parameters: {} })
        const ended = (id: string) => JSON.stringify({ type: "tool_result", tool_id: id, status: "success" })
        const both = ['{"type":"init"}', tool("a"), tool("b"), ended("b")]
        assert.deepInclude(yield* turnAfter(both.join("\n")), { _tag: "Tool", name: "glob" })
        assert.strictEqual((yield* turnAfter([...both, ended("a")].join("\n")))?._tag, "Asked")
        const answered = [...both, '{"type":"message","role":"assistant","content":"la"}']
        assert.strictEqual((yield* turnAfter(answered.join("\n")))?._tag, "Asked")
      })
    )
    it.effect("a result that follows no answer is no end of the turn, whatever its status is", () =>
      Effect.gen(function* () {
        const { turnAfter } = yield* geminiOf({ "44": recorded("finished") })
        const [init, asked, answered, called, result, , ended] = recorded("finished.output").trim().split("\n")
        const error = (message: string) => JSON.stringify({ type: "error", severity: "warning", message })
        const after = (...lines: ReadonlyArray<string | undefined>) =>
          Effect.map(turnAfter([init, asked, ...lines, ended].join("\n")), (turn) =>
            turn?._tag === "Failed" ? turn.reason : turn?._tag
          )
        assert.strictEqual(yield* after(answered), "Finished")
        assert.strictEqual(yield* after(answered, called, result), "prompt-too-long")
        assert.strictEqual(yield* after(), "prompt-too-long")
        assert.strictEqual(yield* after(answered, called), "other")
        assert.strictEqual(yield* after(answered, error("Loop detected, stopping execution")), "other")
        assert.strictEqual(yield* after(answered, error("Maximum session turns exceeded")), "cap")
        // After a warning the agent may go on, and end its turn.
        assert.strictEqual(yield* after(error("Agent execution blocked: sing"), answered), "Finished")
      })
    )
    it.effect("an outage that advises to try again later is no limit, and an account without a quota is none", () =>
      Effect.gen(function* () {
        const { turnAfter } = yield* geminiOf({ "44": recorded("finished") })
        const reasonOf = (code: number, words: string) => {
          const message = `[API Error: ${JSON.stringify({ error: { code, message: words } })}]`
          return Effect.map(
            turnAfter(JSON.stringify({ type: "result", status: "error", error: { message } })),
            (turn) => (turn?._tag === "Failed" ? turn.reason : turn)
          )
        }
        assert.strictEqual(yield* reasonOf(503, "The model is overloaded. Please try again later."), "outage")
        assert.strictEqual(yield* reasonOf(403, "Your quota project is not set."), "account")
        assert.strictEqual(yield* reasonOf(429, "Resource exhausted"), "usage-limit")
      })
    )
    it.effect("an error that is none of the service is no outage, and a broken connection is one", () =>
      Effect.gen(function* () {
        const { turnAfter } = yield* geminiOf({ "44": recorded("finished") })
        const failed = (message: string) =>
          turnAfter(JSON.stringify({ type: "result", status: "error", error: { type: "unknown", message } }))
        assert.deepInclude(yield* failed("Reached max session turns"), { _tag: "Failed", reason: "other" })
        assert.deepInclude(yield* failed("[API Error: fetch failed]"), { _tag: "Failed", reason: "outage" })
      })
    )
  })

  describe("behaviour#last-words", () => {
    it.effect("an output is shown by whole answers, a line for each tool, and the words of a failure", () =>
      Effect.gen(function* () {
        const { agent } = yield* geminiOf({})
        const shownOf = (printed: string) => {
          const read = agent.outputReader()
          return printed
            .trim()
            .split("\n")
            .flatMap((line) => Option.toArray(read(line)).filter((one) => one !== ""))
        }
        const piece = (content: string) =>
          JSON.stringify({ type: "message", timestamp: "t", role: "assistant", content, delta: true })
        const [init, ...rest] = recorded("killed.output").trim().split("\n")
        assert.deepStrictEqual(shownOf([init, piece("I re"), piece("hearse."), rest.at(-1)].join("\n")), [
          "I rehearse.\n· run_shell_command: touch tool; sleep 300"
        ])
        assert.include(shownOf(recorded("limited.output")).at(-1), "exhausted your daily quota")
        assert.isTrue(Option.isNone(agent.outputReader()('{"type":"message"}')))
        const into = (own: ReadonlyArray<string>) =>
          Effect.map(geminiOf({}, { args: own }), (made) => made.agent.outputReader("pipe")(init!))
        assert.deepStrictEqual(yield* into([]), Option.some(""))
        assert.deepStrictEqual(yield* into(["-o", "stream-json"]), Option.none())
      })
    )
  })
})

it.layer(HostServices.layer)((it) => {
  describe("behaviour#subagents", () => {
    it.effect("what a subagent did and used counts for its session", () =>
      Effect.gen(function* () {
        const { agent, folder } = yield* geminiOf({ "44": recorded("finished") })
        const before = yield* agent.spent([id], 0)
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${folder}/${id}`)
        yield* fs.writeFileString(`${folder}/${id}/80000001-1111-4111-8111-111111111111.jsonl`, recorded("finished"))
        yield* fs.utimes(`${folder}/${id}/80000001-1111-4111-8111-111111111111.jsonl`, 3e9, 3e9)
        assert.strictEqual(yield* agent.toolResults([id]), 2)
        assert.deepStrictEqual(yield* agent.spent([id], 0), { ...before, tokens: 2 * before.tokens })
        assert.strictEqual(Option.getOrThrow(yield* agent.signs(id)).writtenAt, 3e12)
      })
    )
  })
})
