import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Agent, Processes } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { FakeProcesses, identityOf } from "@souffleur/testing"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import { openCode } from "../../src/opencode/OpenCode.ts"
import { file, keep, recorded, sessionId } from "./Database.ts"

/** Makes the database of an OpenCode with one session. */
const openCodeOf = Effect.fnUntraced(function* (records: string, processes = new FakeProcesses()) {
  const fs = yield* FileSystem.FileSystem
  const agentDir = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-opencode-" })
  const path = `${agentDir}/${file}`
  yield* keep(path, records, "souffleur-0123456789abcdef")
  const options = { agentDir, agentCommand: { program: "opencode", args: [] }, environment: {} }
  const layer = Layer.provide(openCode.layer(options), Layer.succeed(Processes, processes.service))
  const agent = Context.get(yield* Layer.build(layer), Agent)
  const turn = Effect.map(agent.signs(sessionId), (signs) => Option.getOrUndefined(signs)?.turn)
  return { agent, agentDir, path, turn }
})
const lines = (name: string) => recorded(name).trim().split("\n")
const without = (name: string, ...parts: ReadonlyArray<string>) =>
  lines(name)
    .filter((line) => !parts.some((part) => line.includes(part)))
    .join("\n")
/** The records of a session up to the first that has this. */
const upTo = (name: string, part: string) => {
  const all = lines(name)
  return all.slice(0, all.findIndex((line) => line.includes(part)) + 1).join("\n")
}
const message = (info: object) => JSON.stringify({ sessionID: sessionId, info: { role: "assistant", ...info } })
const ended = { created: 1_795_444_821_000, completed: 1_795_444_822_000 }
it.layer(HostServices.layer)((it) => {
  describe("opencode#database", () => {
    it.effect("a session is found by its id or the beginning of one, and lies below its database", () =>
      Effect.gen(function* () {
        const { agent, path } = yield* openCodeOf(recorded("finished"))
        for (const asked of [sessionId, sessionId.slice(0, 12)])
          assert.deepStrictEqual(yield* agent.sessionFile(asked), { path, sessionId })
        assert.strictEqual(Option.getOrUndefined(yield* agent.projectOf(sessionId)), "/srv/opera")
        yield* keep(`${path}b`, recorded("killed").replaceAll(sessionId, `${sessionId}b`))
        assert.strictEqual((yield* Effect.flip(agent.sessionFile("ses_9"))).reason, "ambiguous")
        assert.strictEqual((yield* agent.sessionFile(sessionId)).sessionId, sessionId)
        assert.strictEqual((yield* Effect.flip(agent.sessionFile("ses_8"))).reason, "missing")
      })
    )
  })

  describe("opencode#database", () => {
    it.effect("a database whose tables are views is refused: a search says so, and nothing of it runs", () =>
      Effect.gen(function* () {
        const { agent, path } = yield* openCodeOf(recorded("finished"))
        const database = new DatabaseSync(dirname(path))
        const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        for (const table of ["session", "event"])
          database.exec(`DROP TABLE ${table}; CREATE VIEW ${table} AS ${endless} SELECT i AS id, i AS aggregate_id,
            i AS seq, i AS title, i AS parent_id, i AS data FROM n`)
        database.close()
        const { message } = yield* Effect.flip(agent.sessionFile(sessionId))
        assert.include(message, "opencode.db: SQLite cannot read it (its table session is a view")
        assert.isTrue(Option.isNone(yield* agent.signs(sessionId)))
      })
    )
  })

  describe("opencode#records", () => {
    it.effect("a turn goes on with each tool and each answer of the model, until an answer without a tool", () =>
      Effect.gen(function* () {
        const turnOf = Effect.fnUntraced(function* (records: string) {
          return (yield* (yield* openCodeOf(records)).turn)?._tag
        })
        assert.strictEqual(yield* turnOf(upTo("finished", '"role":"user"')), "Asked")
        assert.strictEqual(yield* turnOf(upTo("finished", '"status":"pending"')), "Asked")
        assert.strictEqual(yield* turnOf(upTo("finished", '"status":"running"')), "Tool")
        assert.strictEqual(yield* turnOf(upTo("finished", '"status":"completed"')), "Asked")
        assert.strictEqual(yield* turnOf(upTo("finished", '"finish":"tool-calls"')), "Asked")
        assert.strictEqual(yield* turnOf(upTo("finished", '"finish":"stop"')), "Asked")
        assert.strictEqual(yield* turnOf(recorded("finished")), "Finished")
        for (const finish of ["other", "a word of tomorrow"])
          assert.strictEqual(yield* turnOf(recorded("finished").replaceAll('"stop"', `"${finish}"`)), "Finished")
        for (const finish of ["tool-calls", "unknown"])
          assert.strictEqual(yield* turnOf(recorded("finished").replaceAll('"stop"', `"${finish}"`)), "Asked")
      })
    )
    it.effect("an answer that was cut off ends its turn in the middle of the work", () =>
      Effect.gen(function* () {
        for (const finish of ["length", "content-filter", "error"]) {
          const { agent, turn } = yield* openCodeOf(recorded("finished").replaceAll('"stop"', `"${finish}"`))
          assert.deepInclude(yield* turn, { _tag: "Failed", reason: "other" }, finish)
          assert.isFalse(yield* agent.turnEnded({ pid: 70 }, sessionId))
        }
        // The error of a filter comes one event later.
        const between = yield* openCodeOf(without("filtered", '"error":'))
        assert.strictEqual((yield* between.turn)?._tag, "Failed")
      })
    )
    it.effect("a tool that prints without an end hides neither itself nor the context in use", () =>
      Effect.gen(function* () {
        const piece = lines("noisy").at(-1)!
        const noisy = `${recorded("finished")}${recorded("noisy")}${`${piece}\n`.repeat(420)}`
        assert.isAbove(noisy.length, 8 << 20)
        const { agent, path } = yield* openCodeOf(noisy)
        const signs = Option.getOrThrow(yield* agent.signs(sessionId))
        assert.deepInclude(signs.turn, { _tag: "Tool", name: "bash" })
        assert.strictEqual(signs.context?.tokens, 7781)
        yield* keep(path, piece.replace('"running"', '"completed"'))
        assert.strictEqual(Option.getOrThrow(yield* agent.signs(sessionId)).turn?._tag, "Asked")
      })
    )
    it.effect("a subagent is a tool that runs, is told once, and what it used counts", () =>
      Effect.gen(function* () {
        const running = yield* openCodeOf(upTo("task", '"status":"running"'))
        assert.deepInclude(yield* running.turn, { _tag: "Tool", name: "task" })
        const { agent, agentDir, path } = yield* openCodeOf(recorded("task"))
        const subagent = "ses_90000002ffeOperaOperaOpera"
        yield* keep(path.replace(sessionId, subagent), recorded("subagent"), "sub", sessionId)
        yield* keep(path.replace(sessionId, `${subagent}3`), recorded("subagent"), "sub", subagent)
        yield* keep(path.replace(sessionId, `${subagent}4`), recorded("subagent"), "another")
        assert.deepInclude(yield* agent.spent([sessionId], 0), {
          tokens: 2100 + 2 * 990_000,
          dollars: 0.0075 + 2 * 4.05,
          turns: 2
        })
        assert.strictEqual(yield* agent.toolResults([sessionId]), (yield* agent.toolResults([subagent])) + 1)
        yield* agent.exportSession(sessionId, `${agentDir}/out.md`)
        const markdown = yield* (yield* FileSystem.FileSystem).readFileString(`${agentDir}/out.md`)
        assert.lengthOf(markdown.split("**Tool call: task**"), 2)
        assert.include(markdown, "sub done")
      })
    )
    it.effect("a late summary of the changes of a turn begins no other turn", () =>
      Effect.gen(function* () {
        const summary = lines("finished").find((line) => line.includes('"summary":{"diffs"'))
        const late = yield* openCodeOf(`${recorded("finished")}${summary}\n`)
        assert.strictEqual((yield* late.turn)?._tag, "Finished")
        const tool = yield* openCodeOf(`${recorded("killed")}${summary}\n`)
        assert.strictEqual((yield* tool.turn)?._tag, "Tool")
      })
    )
    it.effect("the model of a summary ends no turn, and what it was given is not the context in use", () =>
      Effect.gen(function* () {
        const compacting = yield* openCodeOf(upTo("compacted", '"synthetic":true').split("\n").slice(0, -2).join("\n"))
        const signs = Option.getOrThrow(yield* compacting.agent.signs(sessionId))
        assert.deepStrictEqual([signs.turn?._tag, signs.context], ["Asked", undefined])
        const { agent, agentDir } = yield* openCodeOf(recorded("compacted"))
        const after = Option.getOrThrow(yield* agent.signs(sessionId))
        assert.strictEqual(after.turn?._tag, "Finished")
        assert.isAbove(after.context?.tokens ?? 0, 0)
        yield* agent.exportSession(sessionId, `${agentDir}/out.md`)
        const markdown = yield* (yield* FileSystem.FileSystem).readFileString(`${agentDir}/out.md`)
        const [before, behind] = markdown.split(/^<!-- compact_boundary/mu)
        assert.include(before, "Remember the word quinquereme")
        assert.include(before, "song.txt`: 1 edit")
        assert.include(before, "File not found")
        assert.include(behind, "The goal: the word is quinquereme.")
        assert.notInclude(markdown, "Continue if you have next steps")
        // It wrote one file, read one, and found no third.
        assert.deepStrictEqual([yield* agent.toolResults([sessionId]), yield* agent.usedTools(sessionId)], [1, true])
      })
    )
    it.effect("a tool is told once, whatever it prints, and a result that is taken out of the context is none", () =>
      Effect.gen(function* () {
        const { agent, agentDir, path } = yield* openCodeOf(recorded("finished"))
        const result = lines("finished").find((line) => line.includes('"status":"completed"'))!
        yield* keep(path, result.replace('"time":{"start"', '"time":{"compacted":1,"start"'))
        yield* agent.exportSession(sessionId, `${agentDir}/out.md`)
        const markdown = yield* (yield* FileSystem.FileSystem).readFileString(`${agentDir}/out.md`)
        assert.lengthOf(markdown.split("**Tool call: bash**"), 2)
        assert.lengthOf(markdown.split("OPENCODE_PID=29726\n"), 2)
        assert.strictEqual(yield* agent.toolResults([sessionId]), 1)
      })
    )
    it.effect("each answer is counted at its own time, with its dollars", () =>
      Effect.gen(function* () {
        const costly = recorded("finished").replaceAll(/("type":"step-finish".*?"cost":)0/gu, "$10.25")
        const { agent } = yield* openCodeOf(costly)
        assert.deepInclude(yield* agent.spent([sessionId], 0), { tokens: 15_531, dollars: 0.5, turns: 2 })
        assert.deepInclude(yield* agent.spent([sessionId], 1_795_444_822_000), {
          tokens: 7817,
          dollars: 0.25,
          turns: 1
        })
      })
    )
    it.effect("records without an end of the turn end none, also behind an answer", () =>
      Effect.gen(function* () {
        const { agent, turn } = yield* openCodeOf(without("finished", '"completed":1795444822341'))
        assert.strictEqual((yield* turn)?._tag, "Asked")
        assert.isFalse(yield* agent.turnEnded({ pid: 70 }, sessionId))
      })
    )
  })

  describe("opencode#trouble", () => {
    it.effect("an error of the service ends a turn for its reason, and a process that was ended is none of them", () =>
      Effect.gen(function* () {
        const reasonOf = Effect.fnUntraced(function* (name: string, data: object) {
          const failed = message({ time: ended, error: { name, data } })
          const turn = yield* (yield* openCodeOf(`${upTo("finished", '"role":"user"')}\n${failed}\n`)).turn
          return turn?._tag === "Failed" ? turn.reason : turn?._tag
        })
        const api = (statusCode: number | undefined, words = "") => reasonOf("APIError", { statusCode, message: words })
        assert.strictEqual(yield* api(429), "usage-limit")
        assert.strictEqual(yield* api(503), "outage")
        assert.strictEqual(yield* api(undefined), "outage")
        assert.strictEqual(yield* api(400, "prompt is too long"), "prompt-too-long")
        assert.strictEqual(yield* reasonOf("ProviderAuthError", {}), "login")
        assert.strictEqual(yield* reasonOf("MessageAbortedError", { message: "aborted" }), "other")
      })
    )
  })

  describe("opencode#sessions", () => {
    it.effect("a process holds the session that its command line names, or that has the title of its launch", () =>
      Effect.gen(function* () {
        const processes = new FakeProcesses()
        const environment = { PATH: "/bin" }
        const run = (pid: number, name: string, ...words: ReadonlyArray<string>) =>
          processes.run({ pid, name, words, environment })
        run(70, "opencode", "opencode", "run", "--auto", "--session", sessionId)
        run(71, "opencode", "/opt/opencode", "run", "--auto", "--title", "souffleur-0123456789abcdef")
        run(72, "opencode", "opencode", "run", "--title=souffleur-0123456789abcdee")
        run(73, "opencode", "opencode", "run", "--auto", "--", "--session", sessionId)
        run(74, "opencode", "opencode")
        run(76, "opencode", "opencode", "run", "--title", "song")
        run(75, "vi", "vi", "opencode", "--session", sessionId)
        const { agent, path } = yield* openCodeOf(recorded("killed"), processes)
        // A title of two sessions tells nothing, nor does one of a person's own.
        for (const name of ["b", "c"]) yield* keep(`${path}${name}`, recorded("killed"), "souffleur-0123456789abcdee")
        yield* keep(`${path}d`, recorded("killed"), "song")
        assert.deepStrictEqual(
          (yield* agent.sessions).map(({ pid, project, sessionId }) => ({ pid, project, sessionId })),
          [70, 71].map((pid) => ({ pid, project: "/srv/opera", sessionId }))
        )
      })
    )
    it.effect("a launch reports its session in its output, or by its title before that", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const processes = new FakeProcesses()
        const environment = { PATH: "/bin" }
        const words = ["opencode", "run", "--title", "souffleur-0123456789abcdef"]
        processes.run({ pid: 70, name: "opencode", words, environment })
        const { agent, agentDir } = yield* openCodeOf(recorded("killed"), processes)
        const reported = (pid: number, output: string | undefined) =>
          Effect.map(
            agent.sessionOf!({
              process: identityOf(pid),
              output,
              folder: "/",
              since: 0,
              asked: () => true
            }),
            Option.getOrUndefined
          )
        assert.strictEqual(yield* reported(70, undefined), sessionId)
        assert.isUndefined(yield* reported(71, undefined))
        const output = `${agentDir}/launch.out`
        yield* fs.writeFileString(output, `warning\n{"type":"step_start","timestamp":1,"sessionID":"${sessionId}"}\n`)
        yield* fs.chmod(output, 0o600)
        assert.strictEqual(yield* reported(71, output), sessionId)
      })
    )
  })

  describe("behaviour#last-words", () => {
    it.effect("an output is shown by its answers, a line for each tool, and the words of a failure", () =>
      Effect.gen(function* () {
        const { agent } = yield* openCodeOf(recorded("finished"))
        const read = agent.outputReader()
        const shown = (type: string, more: object) =>
          Option.getOrUndefined(read(JSON.stringify({ type, timestamp: 1, sessionID: sessionId, ...more })))
        assert.strictEqual(shown("text", { part: { type: "text", text: "la la" } }), "la la")
        const state = { input: { command: "echo made" } }
        assert.strictEqual(shown("tool_use", { part: { tool: "bash", state } }), "· bash: echo made")
        assert.strictEqual(shown("step_start", { part: {} }), "")
        assert.strictEqual(shown("error", { error: { name: "APIError", data: { message: "no key" } } }), "no key")
        assert.isUndefined(Option.getOrUndefined(read('{"type":"text"}')))
        assert.isUndefined(Option.getOrUndefined(read("la la")))
      })
    )
  })
})
