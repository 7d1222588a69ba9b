import { Agent, nothingSpent, Processes, type TurnState } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import { fileURLToPath } from "node:url"
import { codex } from "../../src/codex/Codex.ts"

const id = "01a20631-6832-7772-a731-0eceba6359e0"
/** The session that the recorded subagent worked for. */
const recordedRoot = "01a22396-b27b-7080-b5e3-b3ef5ffc6a05"
const recorded = (name: string) => fileURLToPath(new URL(`fixtures/${name}.jsonl`, import.meta.url))
const holder = {
  identity: { pid: 77, startTime: 1, bootId: "boot" },
  parent: 1,
  uid: 1000,
  name: "codex",
  condition: "running" as const
}

/** Makes the folder of a Codex whose session is as this record has it. A living process writes it, or none. */
const codexOf = Effect.fnUntraced(function* (
  name: string,
  { lives = false, own = ["codex", "exec"], parents = [] as ReadonlyArray<string>, writes = false } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-codex-" })
  const day = `${folder}/sessions/2026/11/23`
  yield* fs.makeDirectory(day, { recursive: true })
  yield* fs.makeDirectory(`${folder}/thread-writer-locks`)
  const file = `${day}/rollout-2026-11-23T02-17-11-${id}.jsonl`
  yield* fs.writeFileString(file, yield* fs.readFileString(recorded(name)))
  yield* fs.writeFileString(`${folder}/thread-writer-locks/${id}.lock`, "")
  const processes = Layer.mock(Processes)({
    self: { ...holder.identity, pid: 1 },
    host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
    lockers: () => Effect.succeed(writes ? [holder] : []),
    commandLine: (pid) => Effect.succeed(pid === holder.identity.pid ? own : parents),
    condition: () => Effect.succeed(lives ? ("running" as const) : ("gone" as const))
  })
  const options = { agentDir: folder, agentCommand: { program: "codex", args: [] }, environment: {} }
  const layer = codex.layer(options).pipe(Layer.provide(processes))
  return { agent: Context.get(yield* Layer.build(layer), Agent), file, folder }
})
it.layer(HostServices.layer)((it) => {
  const turnOf = Effect.fnUntraced(function* (name: string) {
    const { agent } = yield* codexOf(name)
    const said = Option.getOrThrow(yield* agent.signs(id))
    if (said.turn === undefined) return yield* Effect.die("no turn is known")
    const ended = yield* agent.turnEnded({ pid: 77 }, id)
    return { ...said, ended, at: undefined, writtenAt: undefined, turn: { ...said.turn, at: undefined } }
  })
  const failed = (reason: Extract<TurnState, { readonly _tag: "Failed" }>["reason"], resetsAt?: number) =>
    ({ _tag: "Failed", reason, resetsAt, at: undefined }) as const

  describe("codex#turns", () => {
    it.effect("stillness of Codex is no sign of its hang", () =>
      Effect.gen(function* () {
        const { agent } = yield* codexOf("killed")
        assert.isTrue(Option.getOrThrow(yield* agent.signs(id)).idles)
      })
    )

    it.effect("a turn is over by its own record, and the context is what the model read last", () =>
      Effect.gen(function* () {
        const { context, ended, turn } = yield* turnOf("finished")
        assert.deepStrictEqual(
          [turn._tag, ended, context?.tokens, context?.window],
          ["Finished", true, 10_191, 258_400]
        )
      })
    )
    it.effect("a call may take as long as the user's settings give the service", () =>
      Effect.gen(function* () {
        const { agent, folder } = yield* codexOf("killed")
        const limit = Effect.map(agent.signs(id), (said) => Option.getOrThrow(said).callLimit)
        assert.isUndefined(yield* limit)
        const fs = yield* FileSystem.FileSystem
        const provider = '[model_providers.local]\nname = "stream_idle_timeout_ms"\nstream_idle_timeout_ms = 1800000\n'
        yield* fs.writeFileString(`${folder}/config.toml`, provider)
        assert.strictEqual(yield* limit, 1_800_000)
      })
    )
    it.effect("a killed turn has its tool still outstanding", () =>
      Effect.gen(function* () {
        const { context, ended, turn } = yield* turnOf("killed")
        assert.deepInclude(context, { tokens: 10_073, window: 258_400 })
        assert.deepStrictEqual(turn, {
          _tag: "Tool",
          name: "exec_command",
          limit: undefined,
          spawns: true,
          at: undefined
        })
        assert.isFalse(ended)
        assert.deepStrictEqual((yield* turnOf("resumed")).turn._tag, "Finished")
      })
    )
    it.effect("a tool that has its result is over, and the model is asked again", () =>
      Effect.gen(function* () {
        const { agent, file } = yield* codexOf("finished")
        const fs = yield* FileSystem.FileSystem
        const lines = (yield* fs.readFileString(file)).split("\n")
        const result = lines.findIndex((line) => line.includes("function_call_output"))
        yield* fs.writeFileString(file, `${lines.slice(0, result + 1).join("\n")}\n`)
        const said = yield* agent.signs(id)
        assert.strictEqual(Option.getOrThrow(said).turn?._tag, "Asked")
      })
    )
    it.effect("the limits of the service have what is used of them, in the newest record that has any", () =>
      Effect.gen(function* () {
        const { agent, file } = yield* codexOf("limited")
        const limits = Effect.map(agent.signs(id), (said) => Option.getOrThrow(said).limits)
        const at = Date.parse("2026-11-23T02:04:20.759Z")
        const short = { span: 18_000_000, resetsAt: 1_795_999_999_000, at }
        assert.deepStrictEqual(yield* limits, [{ used: 100, ...short }])
        const fs = yield* FileSystem.FileSystem
        const week = '{"used_percent":61.5,"window_minutes":10080,"resets_at":1796400000}'
        const text = yield* fs.readFileString(file)
        yield* fs.writeFileString(
          file,
          text
            .replaceAll('"used_percent":100.0', '"used_percent":92.0')
            .replaceAll('"secondary":null', `"secondary":${week}`)
        )
        assert.deepStrictEqual(yield* limits, [
          { used: 92, ...short },
          { used: 61.5, span: 604_800_000, resetsAt: 1_796_400_000_000, at }
        ])
        const without = yield* codexOf("finished")
        assert.isUndefined(Option.getOrThrow(yield* without.agent.signs(id)).limits)
      })
    )
    it.effect("an error of the service ends a turn for its reason, a limit with its end", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* turnOf("limited")).turn, failed("usage-limit", 1_795_999_999_000))
        assert.deepStrictEqual((yield* turnOf("throttled")).turn, failed("usage-limit"))
        assert.deepStrictEqual((yield* turnOf("full")).turn, failed("prompt-too-long"))
        assert.deepStrictEqual((yield* turnOf("outage")).turn, failed("outage"))
        const words = "Missing environment variable: `TEST_KEY`."
        assert.deepStrictEqual((yield* turnOf("failed")).turn, { ...failed("other"), words })
        const account = yield* turnOf("account")
        assert.deepStrictEqual([account.turn, account.ended], [failed("login"), false])
      })
    )
    it.effect("results, use and the hand-off are counted from the records, and only new lines are read", () =>
      Effect.gen(function* () {
        const { agent, file } = yield* codexOf("resumed")
        const fs = yield* FileSystem.FileSystem
        assert.isFalse(yield* agent.usedTools(id))
        assert.strictEqual(yield* agent.toolResults([id]), 0)
        const done = yield* codexOf("finished")
        assert.deepStrictEqual([yield* done.agent.usedTools(id), yield* done.agent.toolResults([id, id])], [true, 1])
        assert.isAbove((yield* agent.spent([id], 0)).tokens, 10_000)
        assert.deepStrictEqual(yield* agent.spent([id], 8e12), nothingSpent)
        const launch = /Hand-off (work-\S+-resume-in-place-1)/u.exec(yield* fs.readFileString(file))![1]!
        assert.isTrue(Option.isSome(yield* agent.handoffTaken(id, launch)))
        assert.isTrue(Option.isNone(yield* agent.handoffTaken(id, "another")))
        const item = { type: "CommandExecution", exit_code: 0, parsed_cmd: [{ type: { toString: 1 } }] }
        const looks = { ...item, parsed_cmd: [{ type: "read" }] }
        const outlived = { ...item, exit_code: -1, status: "failed" }
        for (const one of [
          item,
          looks,
          { ...item, exit_code: 1 },
          outlived,
          { type: "McpToolCall", status: "completed", server: "souffleur" }
        ])
          yield* fs.writeFileString(
            file,
            `${JSON.stringify({ type: "event_msg", payload: { type: "item_completed", item: one } })}\n`,
            { flag: "a" }
          )
        assert.strictEqual(yield* agent.toolResults([id]), 2)
      })
    )
  })

  describe("codex#compaction", () => {
    it.effect("a compaction after a mark is proved by its record, and ends no turn", () =>
      Effect.gen(function* () {
        const { agent, file } = yield* codexOf("compacted")
        const fs = yield* FileSystem.FileSystem
        const [whole, mark] = [yield* fs.readFileString(file), yield* agent.mark(id)]
        const upTo = whole.indexOf('{"timestamp"', whole.indexOf('"type":"compacted"'))
        const since = (text: string, from: number) =>
          Effect.andThen(fs.writeFileString(file, text), agent.compactedSince({ ...mark, offset: from }))
        assert.strictEqual(yield* since(whole, 0), "summary")
        assert.strictEqual(yield* since(whole, upTo), "not yet")
        assert.strictEqual(yield* since(whole.slice(0, upTo), 0), "summary")
        assert.strictEqual(Option.getOrThrow(yield* agent.signs(id)).turn?._tag, "Asked")
      })
    )
  })

  describe("behaviour#permission-ceiling", () => {
    it.effect("the mode of a session is that of its newest turn, as Codex 0.169.0 records it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { agent, file } = yield* codexOf("finished")
        assert.deepStrictEqual(yield* agent.mode(id), Option.none())
        const turn = (type: string) =>
          fs.writeFileString(
            file,
            `{"timestamp":"2026-11-22T00:03:22.555Z","ordinal":5,"type":"turn_context","payload":{"cwd":"/lab","approval_policy":"never","collaboration_mode":{"mode":"default","settings":{"model":"m"}},"sandbox_policy":{"type":"${type}","network_access":false}}}\n`,
            { flag: "a" }
          )
        yield* turn("danger-full-access")
        assert.deepStrictEqual(yield* agent.mode(id), Option.some("bypassPermissions"))
        yield* turn("workspace-write")
        assert.deepStrictEqual(yield* agent.mode(id), Option.some("acceptEdits"))
        assert.deepStrictEqual(yield* agent.mode("01b"), Option.none())
      })
    )
  })

  describe("codex#files", () => {
    it.effect("a session is found by its id or the beginning of it, and knows its folder and its last answer", () =>
      Effect.gen(function* () {
        const { agent, file } = yield* codexOf("finished")
        assert.deepStrictEqual(yield* agent.sessionFile("01a20631"), { path: file, sessionId: id })
        assert.deepStrictEqual(yield* agent.projectOf(id), Option.some("/srv/opera"))
        assert.include(yield* agent.lastAnswer(id), "tool said")
      })
    )
    it.effect("an export has the words, the tools and the files, and nothing that Codex tells the model itself", () =>
      Effect.gen(function* () {
        const { agent, folder } = yield* codexOf("resumed")
        const fs = yield* FileSystem.FileSystem
        const { records } = yield* agent.exportSession(id, `${folder}/out.md`)
        const markdown = yield* fs.readFileString(`${folder}/out.md`)
        assert.isAbove(records, 4)
        for (const part of [
          "- Agent: Codex 0.169.0",
          "the word quinquereme",
          "**Tool call: exec_command**",
          "sleep 600"
        ])
          assert.include(markdown, part)
        assert.notInclude(markdown, "environment_context")
      })
    )
  })

  describe("codex#sessions", () => {
    it.effect("the process that locks a session holds it, under the pid of a launcher that waits for it", () =>
      Effect.gen(function* () {
        const none = yield* codexOf("killed")
        assert.deepStrictEqual(yield* none.agent.sessions, [])
        const one = yield* codexOf("killed", { writes: true })
        const [session] = yield* one.agent.sessions
        assert.deepInclude(session, { pid: 77, sessionId: id, project: "/srv/opera", status: "busy" })
        const launched = yield* codexOf("killed", {
          writes: true,
          parents: ["node", "/x/@openai/codex/bin/codex.js", "exec"]
        })
        assert.strictEqual((yield* launched.agent.sessions)[0]?.pid, 1)
      })
    )
    it.effect("Codex keeps its session, and is idle once its turn is over", () =>
      Effect.gen(function* () {
        const own = ["/x/bin/codex", "--no-daemon", "--", "do it"]
        const stateOf = Effect.fnUntraced(function* (name: string, words: ReadonlyArray<string>) {
          const { agent } = yield* codexOf(name, { own: [...words], writes: true })
          return (yield* agent.sessions)[0]?.status
        })
        assert.strictEqual(yield* stateOf("finished", own), "idle")
        assert.strictEqual(yield* stateOf("killed", own), "busy")
        assert.strictEqual(yield* stateOf("finished", ["/x/bin/codex", "exec"]), "idle")
      })
    )
    it.effect(
      "a launch reports its session by its lock, and after its end by its output: its pid may be another's then",
      () =>
        Effect.gen(function* () {
          const reported = ({ sessionOf }: Agent["Service"], output?: string) =>
            sessionOf!({ process: holder.identity, output, folder: "/srv/opera", since: 0, asked: () => false })
          const living = yield* codexOf("killed", { lives: true, writes: true })
          assert.deepStrictEqual(yield* reported(living.agent), Option.some(id))
          const reused = yield* codexOf("killed", { writes: true })
          assert.deepStrictEqual(yield* reported(reused.agent), Option.none())
          const ended = yield* codexOf("killed")
          const output = `${ended.folder}/output`
          const fs = yield* FileSystem.FileSystem
          assert.deepStrictEqual(yield* reported(ended.agent, output), Option.none())
          yield* fs.writeFileString(output, `WARNING: words\n{"type":"thread.started","thread_id":"${id}"}\n`)
          assert.deepStrictEqual(yield* reported(ended.agent, output), Option.some(id))
          assert.deepStrictEqual(yield* reported(ended.agent), Option.none())
        })
    )
    it.effect("an ended launch without an output is known by the only session of its folder, time and prompt", () =>
      Effect.gen(function* () {
        const began = Date.parse("2026-11-23T02:16:26.110Z")
        const launch = {
          process: holder.identity,
          output: undefined,
          folder: "/srv/opera",
          since: began,
          asked: (prompt: string) => prompt === "RUN echo made > made.txt"
        }
        const { agent, file } = yield* codexOf("finished")
        assert.deepStrictEqual(yield* agent.sessionOf!(launch), Option.some(id))
        for (const other of [{ folder: "/srv/other" }, { since: began + 1 }, { asked: () => false }])
          assert.deepStrictEqual(yield* agent.sessionOf!({ ...launch, ...other }), Option.none())
        const living = yield* codexOf("finished", { lives: true })
        assert.deepStrictEqual(yield* living.agent.sessionOf!(launch), Option.none())
        const fs = yield* FileSystem.FileSystem
        yield* fs.copyFile(file, file.replace(id, "01a20631-0000-7772-a731-0eceba6359e0"))
        assert.deepStrictEqual(yield* agent.sessionOf!(launch), Option.none())
      })
    )
  })

  describe("codex#in-a-terminal", () => {
    it.effect("a session in a server of Codex cannot be watched, and the words to type are there", () =>
      Effect.gen(function* () {
        const held = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
          const own = ["/x/bin/codex", ...words]
          // The terminal that started the server is no launcher of it.
          const { agent } = yield* codexOf("killed", { own, parents: ["/x/bin/codex"], writes: true })
          const [session] = yield* agent.sessions
          assert.strictEqual(session?.pid, 77)
          return session?.unwatchable
        })
        const next = `souffleur run -- codex resume ${id} "Go on."`
        const daemon = yield* held("app-server", "--listen", "unix://", "--managed-daemon")
        assert.include(daemon?.why, "background server")
        assert.strictEqual(daemon?.next, `codex app-server daemon stop && ${next}`)
        const editors = yield* held("-c", "model=gpt-5", "app-server")
        assert.include(editors?.why, "process 77")
        assert.strictEqual(editors?.next, next)
        assert.isUndefined(yield* held("--no-daemon", "do it"))
      })
    )
  })
})

it.layer(HostServices.layer)((it) => {
  describe("behaviour#subagents", () => {
    it.effect("what a subagent did and used counts for the session at the top, which alone is held", () =>
      Effect.gen(function* () {
        const { agent, file, folder } = yield* codexOf("killed", { writes: true })
        const fs = yield* FileSystem.FileSystem
        const before = yield* agent.spent([id], 0)
        assert.deepStrictEqual([yield* agent.toolResults([id]), before.turns], [0, 1])
        const said = (yield* fs.readFileString(recorded("subagent"))).replaceAll(recordedRoot, id)
        const subagents = ["01a22396-b321-7452-99ae-2cd5cb5c703e", "01a22396-b321-7452-99ae-2cd5cb5c703f"] as const
        const at = (day: string, subagent: string) =>
          `${folder}/sessions/2026/${day}/rollout-2026-11-23T02-18-00-${subagent}.jsonl`
        yield* fs.makeDirectory(`${folder}/sessions/2026/11/24`)
        yield* fs.writeFileString(at("11/23", subagents[0]), said)
        yield* fs.writeFileString(at("11/24", subagents[1]), said)
        // Another session's subagent.
        yield* fs.writeFileString(at("11/24", recordedRoot), said.replaceAll(id, recordedRoot))
        for (const one of [at("11/23", subagents[0]), at("11/24", subagents[1])]) yield* fs.utimes(one, 2e9, 2e9)
        yield* fs.utimes(file, 1e9, 1e9)
        assert.strictEqual(yield* agent.toolResults([id]), 2)
        const { tokens, turns } = yield* agent.spent([id], 0)
        assert.deepStrictEqual([tokens - before.tokens, turns], [2 * 15_004, 1])
        assert.strictEqual(Option.getOrThrow(yield* agent.signs(id)).writtenAt, 2e12)
        yield* fs.writeFileString(`${folder}/thread-writer-locks/${subagents[0]}.lock`, "")
        assert.deepStrictEqual(
          (yield* agent.sessions).map(({ sessionId }) => sessionId),
          [id]
        )
      })
    )
  })
})
