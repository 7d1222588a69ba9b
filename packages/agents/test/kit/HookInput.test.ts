import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hookCall } from "../../src/kit/hooks/HookInput.ts"

const sessionId = "5c0ff1e0-0000-4000-8000-000000000001"
const input = (fields: object) => JSON.stringify({ session_id: sessionId, cwd: "/p", ...fields })

/**
 * Texts that a tool may be given to write. A reader that begins again in an unclosed string read each of them for
 * minutes.
 */
const aimed: ReadonlyArray<readonly [what: string, content: string]> = [
  [
    "minified JSON",
    JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ id: n, name: `n${n}`, list: [n, "x"] })))
  ],
  ["quotes", '"'.repeat(500_000)],
  ["escapes", "\\".repeat(500_000)],
  ["escaped quotes", '\\"'.repeat(300_000)],
  ["colons and commas", '":",'.repeat(300_000)],
  ["braces", "{[".repeat(500_000)],
  ["one long line", "x".repeat(1_000_000)]
]

describe("behaviour#hooks-of-the-agent", () => {
  it("a call has its event, its session, and the reason of every event that has one", () => {
    const calls: ReadonlyArray<readonly [fields: Readonly<Record<string, unknown>>, kind: string | undefined]> = [
      [{ hook_event_name: "SessionStart", source: "compact" }, "compact"],
      [{ hook_event_name: "SessionEnd", reason: "prompt_input_exit" }, "prompt_input_exit"],
      [{ hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null }, "auto"],
      [{ hook_event_name: "PreCompress", trigger: "auto" }, "auto"],
      [{ hook_event_name: "PostCompact", trigger: "manual", compact_summary: "secret" }, "manual"],
      [{ hook_event_name: "StopFailure", error: "rate_limit" }, "rate_limit"],
      [
        { hook_event_name: "Notification", message: "secret", notification_type: "permission_prompt" },
        "permission_prompt"
      ],
      [{ hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { tool_name: "secret" } }, "Bash"],
      [{ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} }, undefined],
      [{ hook_event_name: "SomethingNewer", source: "secret" }, undefined]
    ]
    for (const [fields, kind] of calls) {
      const event = String(fields["hook_event_name"])
      const { holding: _, ...call } = hookCall(input(fields)) ?? {}
      assert.deepStrictEqual<object>(call, kind === undefined ? { event, sessionId } : { event, sessionId, kind })
    }
  })

  it("an event begins, continues or ends the holding of its session, which goes on after a compaction", () => {
    const holding = (fields: object) => hookCall(input(fields))?.holding
    assert.strictEqual(holding({ hook_event_name: "SessionStart", source: "clear" }), "began")
    assert.strictEqual(holding({ hook_event_name: "SessionStart" }), "began")
    assert.strictEqual(holding({ hook_event_name: "SessionStart", source: "compact" }), "goes on")
    assert.strictEqual(holding({ hook_event_name: "SessionEnd", reason: "clear" }), "ended")
    assert.isUndefined(holding({ hook_event_name: "Stop" }))
  })
  it("a person's text is never kept: a kind is one word of the agent's", () => {
    for (const error of ["the model said: secret", "a\nb", "x".repeat(200), 7, null, { type: "x" }]) {
      assert.deepStrictEqual(hookCall(input({ hook_event_name: "StopFailure", error })), {
        event: "StopFailure",
        sessionId
      })
    }
  })

  it("an unnamed member is no reason for an event that has none", () => {
    assert.deepStrictEqual(hookCall(input({ hook_event_name: "Stop", "": "secret" })), { event: "Stop", sessionId })
  })

  it("the object's own members count, and not text inside them", () => {
    const nested = {
      tool_input: {
        session_id: "other",
        hook_event_name: "Stop",
        deep: [{ hook_event_name: "Stop" }, '"hook_event_name":"Stop"']
      }
    }
    assert.deepStrictEqual(
      hookCall(
        JSON.stringify({
          ...nested,
          session_id: sessionId,
          hook_event_name: "PreToolUse",
          list: ["hook_event_name", "Stop"]
        })
      ),
      {
        event: "PreToolUse",
        sessionId
      }
    )
  })

  it("members before the end of a cut input are read", () => {
    const whole = input({ hook_event_name: "PostToolUse", tool_input: { content: "x".repeat(10_000) } })
    assert.deepStrictEqual(hookCall(whole.slice(0, 500)), { event: "PostToolUse", sessionId })
  })

  it("a session id that could be another file's name is refused", () => {
    for (const id of ["../../x", "/etc/passwd", "a/b", "..", "", "-x", "a\0b", "x".repeat(200), 7, null]) {
      assert.isUndefined(hookCall(JSON.stringify({ session_id: id, hook_event_name: "Stop" })))
    }
    for (const garbage of [
      "",
      "{",
      "[]",
      "null",
      '"session_id":"a","hook_event_name":"Stop"',
      '[{"session_id":"a","hook_event_name":"Stop"}]',
      "\u0000\uffff",
      "x".repeat(100_000)
    ]) {
      assert.isUndefined(hookCall(garbage))
    }
  })

  it.prop(
    "any JSON with both members is read, whatever surrounds them",
    [Schema.Record(Schema.String, Schema.Json), Schema.Json],
    ([more, last]) => {
      const { hook_event_name: _, session_id: __, ...fields } = more
      const call = hookCall(
        JSON.stringify({ ...fields, session_id: sessionId, hook_event_name: "Stop", last }, null, 1)
      )
      assert.deepStrictEqual(call, { event: "Stop", sessionId })
    }
  )
  it("a megabyte of a tool is read in one pass, wherever the input was cut", () => {
    for (const [what, content] of aimed) {
      const whole = input({ hook_event_name: "PermissionRequest", tool_input: { content }, tool_name: "Write" })
      const call = { event: "PermissionRequest", sessionId }
      assert.deepStrictEqual(hookCall(whole), { ...call, kind: "Write" }, what)
      for (const cut of [65_536, 65_537, 65_538, 65_539, 600_000])
        assert.deepStrictEqual(hookCall(whole.slice(0, cut)), call, `${what}, cut`)
      // Not even JSON: what is said first is in the string that never ends.
      assert.isUndefined(hookCall(`{"a":"${content}`), what)
      assert.isUndefined(hookCall(`{${content}`), what)
    }
  })

  it("reading ends at the last member that is needed", () => {
    const fields = '"hook_event_name":"Stop","session_id":"' + sessionId + '"'
    assert.deepStrictEqual(hookCall(`{${fields},"session_id":"other","hook_event_name":"PreToolUse"}`), {
      event: "Stop",
      sessionId
    })
    assert.deepStrictEqual(hookCall(`{${fields},}}]]garbage`), { event: "Stop", sessionId })
  })
})
