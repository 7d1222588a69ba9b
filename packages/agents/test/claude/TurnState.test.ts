import { assert, describe, it } from "@effect/vitest"
import { Agent, type Variables } from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { claudeCode } from "../../src/claude/ClaudeCode.ts"
import { makeFolders } from "../../src/claude/Folders.ts"
import { claudeWords } from "../../src/claude/session/ApiFailure.ts"
import { claudeFolder, running, services } from "./support/ClaudeFolder.ts"
import { makeEnd, portOf } from "./support/ClaudePort.ts"

const line = (record: unknown) => `${JSON.stringify(record)}\n`
const user = (content: unknown = "go", more: object = {}) =>
  line({ type: "user", message: { role: "user", content }, ...more })
const assistant = (message: object = {}, more: object = {}) =>
  line({
    type: "assistant",
    message: { model: "claude-x", stop_reason: "end_turn", content: [{ type: "text", text: "done" }], ...message },
    ...more
  })
/** Lines that the agent writes for itself after a turn. */
const after = ["last-prompt", "mode", "cost-state", "a-type-of-tomorrow"].map((type) => line({ type })).join("")

const turnOf = (record: Record<string, unknown>) => {
  const end = makeEnd()
  end.take(record, 7)
  return end.result().turn
}

describe("claude-code#trouble", () => {
  it("other words that the agent put into the model's mouth are no failure of the service", () => {
    const synthetic = { type: "assistant", message: { model: "<synthetic>" } }
    assert.isUndefined(turnOf(synthetic))
    assert.deepInclude(turnOf({ ...synthetic, isApiErrorMessage: true }), {
      _tag: "Failed",
      at: 7,
      reason: "other"
    })
  })
})

describe("claude-code#ends", () => {
  const failed = (record: Record<string, unknown>, text = "Some words.") => {
    const message = { model: "<synthetic>", content: [{ type: "text", text }] }
    const turn = turnOf({ type: "assistant", isApiErrorMessage: true, message, ...record })
    return turn?._tag === "Failed" ? turn : undefined
  }
  it("each word of the agent's own list has what follows from it", () => {
    for (const [error, follows] of Object.entries(claudeWords))
      assert.strictEqual(
        failed({ error })?.reason,
        follows === "cut" || follows === "status" ? "other" : follows,
        error
      )
  })
  it("the status tells more than the word where the agent has the same word for two causes", () => {
    assert.strictEqual(failed({ error: "authentication_failed", apiErrorStatus: 403 })?.reason, "account")
    assert.strictEqual(failed({ error: "invalid_request", apiErrorStatus: 413 })?.reason, "prompt-too-long")
    const cut = { error: "max_output_tokens", apiErrorParams: { cut: "context_window" } }
    assert.strictEqual(failed(cut)?.reason, "prompt-too-long")
    for (const [apiErrorStatus, reason] of [
      [401, "login"],
      [404, "model"],
      [418, "other"],
      [503, "outage"]
    ] as const)
      assert.strictEqual(failed({ error: "a word of tomorrow", apiErrorStatus })?.reason, reason)
  })
  it("an error that is not known is said with the agent's words, and an answer that was cut off is no error", () => {
    assert.strictEqual(failed({ error: "unknown" }, "I am a teapot")?.words, "I am a teapot")
    assert.isUndefined(failed({ error: "max_output_tokens" })?.words)
    assert.isUndefined(failed({ error: "rate_limit" })?.words)
  })
})

it.layer(services)((it) => {
  describe("claude-code#permissions", () => {
    it.effect(
      "the newest tool of a turn was refused if its record says so, and not if a prompt or another tool followed",
      () =>
        Effect.gen(function* () {
          const call = assistant({ stop_reason: "tool_use", content: [{ type: "tool_use", id: "t1", name: "Bash" }] })
          const result = (decision: string, more: object = {}) =>
            user([{ type: "tool_result", tool_use_id: "t1", content: "x" }], {
              permissionDecision: { decision },
              ...more
            })
          const refused = Effect.fnUntraced(function* (session: string) {
            return Option.getOrUndefined(yield* (yield* portOf(session)).agent.signs("s"))?.refused === true
          })
          // A last word with its tokens decides all else, so nothing older is read for that.
          const counted = assistant({ usage: { input_tokens: 5, output_tokens: 1 } })
          assert.isTrue(yield* refused(user() + call + result("reject") + counted + after))
          assert.isFalse(yield* refused(user() + call + result("accept") + assistant()))
          assert.isFalse(yield* refused(user() + call + result("reject") + call + result("accept") + assistant()))
          assert.isFalse(yield* refused(user() + call + result("reject") + user() + assistant()))
          // A subagent's refusal is none of the main conversation.
          assert.isFalse(yield* refused(user() + result("reject", { isSidechain: true }) + assistant()))
        })
    )
  })

  describe("claude-code#trouble", () => {
    it.effect("a limit that does not state its end has stated it at the retries right before, or nowhere", () =>
      Effect.gen(function* () {
        const limit = (more: object = {}) =>
          assistant(
            { model: "<synthetic>", stop_reason: "stop_sequence" },
            { isApiErrorMessage: true, error: "rate_limit", ...more }
          )
        const retry = (resetsAt?: number) =>
          line({
            type: "system",
            subtype: "api_error",
            retryAttempt: 9,
            maxRetries: 10,
            retryInMs: 1000,
            error: { rateLimits: { resetsAt } }
          })
        const resets = Effect.fnUntraced(function* (session: string) {
          const turn = Option.getOrUndefined(yield* (yield* portOf(session)).agent.signs("s"))?.turn
          return turn?._tag === "Failed" ? [turn.reason, turn.resetsAt] : turn?._tag
        })
        assert.deepStrictEqual(yield* resets(user() + retry(1_800_000_000) + after + limit()), [
          "usage-limit",
          1_800_000_000_000
        ])
        assert.deepStrictEqual(yield* resets(user() + retry(1) + limit({ quotaLimits: { resetsAt: 2 } })), [
          "usage-limit",
          2000
        ])
        assert.deepStrictEqual(yield* resets(user() + retry() + limit()), ["usage-limit", undefined])
        assert.deepStrictEqual(yield* resets(retry(1_800_000_000) + user() + limit()), ["usage-limit", undefined])
        assert.deepStrictEqual(yield* resets(limit()), ["usage-limit", undefined])
      })
    )
  })

  const ended = Effect.fnUntraced(function* (session: string) {
    return yield* (yield* portOf(session)).agent.turnEnded({ pid: 7 }, "s")
  })

  describe("behaviour#signs", () => {
    it.effect("an answer by a schema ends the turn, as the record of its result says", () =>
      Effect.gen(function* () {
        const call = assistant({
          stop_reason: "tool_use",
          content: [{ type: "tool_use", id: "t1", name: "StructuredOutput" }]
        })
        const result = (more: object) => user([{ type: "tool_result", tool_use_id: "t1", content: "ok" }], more)
        assert.isTrue(yield* ended(user() + call + result({ toolEndsTurn: true }) + after))
        assert.isFalse(yield* ended(user() + call + result({}) + after))
        assert.isFalse(yield* ended(user() + call + result({ toolEndsTurn: true }) + user("go on")))
      })
    )
    it.effect("a turn has ended when the agent had the last word, and wanted no tool", () =>
      Effect.gen(function* () {
        for (const session of [
          user() + assistant(),
          user() + assistant() + after,
          user() + assistant() + line({ type: "system", subtype: "turn_duration" }),
          user() +
            assistant() +
            user("of a subagent", { isSidechain: true }) +
            user("of the program itself", { isMeta: true }),
          `${user()}${assistant()}not json\n[]\nnull\n\n${user().slice(0, 20)}`,
          (user() + assistant()).trimEnd(),
          user() + assistant({ content: "a string" }),
          user() + assistant({ stop_reason: "stop_sequence" }),
          user() + assistant({ stop_reason: "pause_turn" }),
          user() + assistant({ stop_reason: "a word of tomorrow" })
        ]) {
          assert.isTrue(yield* ended(session), session)
        }
      })
    )
    it.effect(
      "a turn has not ended when the agent wanted a tool, got an answer, was cut off, or the service failed",
      () =>
        Effect.gen(function* () {
          for (const session of [
            "",
            after,
            user() + assistant({ stop_reason: "tool_use", content: [{ type: "tool_use" }] }),
            user() + assistant({ content: [{ type: "text", text: "a" }, { type: "tool_use" }] }),
            user() + assistant() + user([{ type: "tool_result", content: "x" }]),
            user() + assistant() + user("more") + after,
            user() + assistant({ stop_reason: null }),
            user() + assistant({ stop_reason: "max_tokens" }),
            user() + assistant({ model: "<synthetic>" }),
            user() + assistant({}, { isApiErrorMessage: true }),
            user() + assistant({}, { isSidechain: true }),
            user() + line({ type: "assistant" })
          ]) {
            assert.isFalse(yield* ended(session), session)
          }
        })
    )
    it.effect("the end of a session file is read again where the file changed, and only then", () =>
      Effect.gen(function* () {
        const files = yield* TrustedFiles
        let reads = 0
        const counted = TrustedFiles.of({
          ...files,
          open: (...all) =>
            Effect.map(files.open(...all), (file) => ({
              ...file,
              read: (...part) => {
                reads += 1
                return file.read(...part)
              }
            }))
        })
        const fs = yield* FileSystem.FileSystem
        const { agent, file } = yield* portOf(user("go", { cwd: "/p" })).pipe(
          Effect.provideService(TrustedFiles, counted)
        )
        const turn = Effect.map(agent.signs("s"), (seen) => Option.getOrUndefined(seen)?.turn?._tag)
        assert.strictEqual(yield* turn, "Asked")
        const before = reads
        assert.strictEqual(yield* turn, "Asked")
        assert.strictEqual(reads, before)
        yield* fs.writeFileString(file, assistant(), { flag: "a" })
        assert.strictEqual(yield* turn, "Finished")
        assert.strictEqual(reads, before + 1)
      })
    )
    it.effect("a large file is read at its end only", () =>
      Effect.gen(function* () {
        // Longer than a line may be, and two of them than the part that is looked at.
        const long = line({ type: "file-history-snapshot", x: "é".repeat(2_500_000) })
        assert.isTrue(yield* ended(user() + long + long + assistant() + after))
        assert.isTrue(yield* ended(user() + long + assistant() + after))
        assert.isTrue(yield* ended(user() + assistant() + long + long))
        // Nothing was said in the part that is looked at: nothing is known.
        const full = line({ type: "file-history-snapshot", x: "é".repeat(2_000_000) })
        assert.isFalse(yield* ended(user() + assistant() + full + full + full))
      })
    )
    it.effect("a turn of Claude Code 2.1.329 ends at each of its last words, and nowhere else", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const whole = yield* fs.readFileString(path.join(import.meta.dirname, "fixtures/session.jsonl"))
        const lines = whole.trimEnd().split("\n")
        const changes: Array<readonly [line: number, ended: boolean]> = []
        for (const count of lines.keys()) {
          const now = yield* ended(
            lines
              .slice(0, count + 1)
              .map((text) => `${text}\n`)
              .join("")
          )
          if (now !== (changes.at(-1)?.[1] ?? false)) changes.push([count, now])
        }
        const kinds = changes.map(([at, now]) => [(JSON.parse(lines[at]!) as { readonly type: string }).type, now])
        const [asked, said, ran] = [
          ["user", false],
          ["assistant", true],
          ["user", true]
        ]
        // After the third turn it was compacted by hand. The command is a word of the user's, and its output is the
        // end of it.
        const [compacted, ...rest] = [
          [asked, ran],
          [asked, said],
          [asked, said],
          [asked, said]
        ].flat()
        assert.deepStrictEqual(kinds, [said, asked, said, asked, said, compacted, ...rest])
        assert.isTrue(changes.at(-1)?.[1])
      })
    )
  })

  describe("claude-code#pid-file", () => {
    it.effect("a killed agent leaves its pid file behind, and no other agent does", () =>
      Effect.gen(function* () {
        const folder = yield* claudeFolder({ "sessions/70.json": "" })
        assert.isFalse(yield* makeFolders(folder).leftNoPidFile(70))
        assert.isTrue(yield* makeFolders(folder).leftNoPidFile(7))
      })
    )
  })
})

it.layer(services)((it) => {
  describe("claude-code#limits-of-tools", () => {
    it.effect("what the user allows the agent counts, from the environment and from each settings file", () =>
      Effect.gen(function* () {
        const call = (name: string, input: object = {}) =>
          user() + assistant({ stop_reason: "tool_use", content: [{ type: "tool_use", id: "1", name, input }] })
        const env = (name: string, value: unknown) => JSON.stringify({ env: { [name]: value } })
        const project = yield* claudeFolder({})
        const limitIn = Effect.fnUntraced(function* (
          record: string,
          files: Readonly<Record<string, string>> = {},
          environment: Variables = {}
        ) {
          const agentDir = yield* claudeFolder({ ...files, "projects/-p/s.jsonl": line({ cwd: project }) + record })
          const agentCommand = { program: "claude", args: [] }
          const signs = yield* Agent.use((agent) => agent.signs("s")).pipe(
            Effect.provide(Layer.provide(claudeCode.layer({ agentDir, agentCommand, environment }), running()))
          )
          const { callLimit, turn } = Option.getOrThrow(signs)
          return turn?._tag === "Tool" ? turn.limit : callLimit
        })
        const hour = 3_600_000
        const bash = call("Bash")
        const long = call("Bash", { timeout: 4 * hour })
        assert.strictEqual(yield* limitIn(bash), 600_000)
        assert.strictEqual(yield* limitIn(long), 2 * hour)
        assert.strictEqual(yield* limitIn(bash, {}, { BASH_DEFAULT_TIMEOUT_MS: `${2 * hour}` }), 2 * hour)
        assert.strictEqual(yield* limitIn(bash, {}, { BASH_DEFAULT_TIMEOUT_MS: "30000" }), 600_000)
        assert.strictEqual(yield* limitIn(bash, {}, { BASH_MAX_TIMEOUT_MS: `${2 * hour}` }), 600_000)
        const own = (name: string, value: unknown) => ({ "settings.json": env(name, value) })
        assert.strictEqual(yield* limitIn(bash, own("BASH_DEFAULT_TIMEOUT_MS", 2 * hour)), 2 * hour)
        assert.strictEqual(yield* limitIn(long, own("BASH_MAX_TIMEOUT_MS", `${3 * hour}`)), 3 * hour)
        assert.strictEqual(yield* limitIn(long, own("BASH_MAX_TIMEOUT_MS", "1e99")), 2 * hour)
        assert.strictEqual(yield* limitIn(bash, own("BASH_DEFAULT_TIMEOUT_MS", 99 * hour)), 24 * hour)
        assert.strictEqual(yield* limitIn(call("mcp__db__query"), own("MCP_TOOL_TIMEOUT", 5 * hour)), 5 * hour)
        assert.isUndefined(yield* limitIn(call("mcp__db__query"), own("MCP_TOOL_TIMEOUT", hour)))
        assert.strictEqual(yield* limitIn(call("Agent"), own("BASH_MAX_TIMEOUT_MS", 5 * hour)), 5 * hour)
        assert.strictEqual(yield* limitIn(user(), own("API_TIMEOUT_MS", "3000000")), 3_000_000)
        // What the folder of the session allows, and what a file that is no JSON does not.
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${project}/.claude`)
        yield* fs.writeFileString(`${project}/.claude/settings.local.json`, env("BASH_DEFAULT_TIMEOUT_MS", hour))
        assert.strictEqual(yield* limitIn(bash, { "settings.json": "{" }), hour)
      })
    )
  })
})
