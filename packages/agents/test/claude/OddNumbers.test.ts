import { assert, describe, it } from "@effect/vitest"
import { decodeEvent, encodeEvent, Event, judge, limitWait, type Signs, type WatchEvent } from "@souffleur/domain"
import { Result, Schema } from "effect"
import { makeEnd } from "./support/ClaudePort.ts"

/** Any value of a JSON number, or of a field that should hold one. */
const Odd = Schema.Union([
  Schema.Literals([0, -1, 1, 1.5, 10, 120_000, 1e12, 8.64e15, 8.64e15 + 1, 9e15, 2 ** 53, 1e21, 1e300, "5", "x"]),
  Schema.Literals([1_795_305_600, 1_795_305_600_000, 604_800_000]),
  Schema.Number,
  Schema.Null
])
const Kind = Schema.Literals(["user", "assistant", "system"])
const Time = Schema.Literals([
  "2026-11-22T00:00:00.000Z",
  "+275760-09-13T00:00:00Z",
  "-271821-04-20T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "x"
])

/** A record in which each number is any. */
const Hostile = Schema.Struct({
  type: Kind,
  subtype: Schema.Literals(["api_error", "compact_boundary", "x"]),
  isApiErrorMessage: Schema.Boolean,
  error: Schema.Union([
    Schema.Literals(["rate_limit", "overloaded"]),
    Schema.Struct({ rateLimits: Schema.Struct({ resetsAt: Odd }) })
  ]),
  quotaLimits: Schema.Struct({ resetsAt: Odd }),
  timestamp: Time,
  retryAttempt: Odd,
  maxRetries: Odd,
  retryInMs: Odd,
  message: Schema.Struct({
    id: Schema.Literal("m"),
    model: Schema.Literals(["claude-opus-5-5", "constructor", "toString", "<synthetic>"]),
    stop_reason: Schema.Literals(["end_turn", "tool_use"]),
    content: Schema.Tuple([
      Schema.Struct({
        type: Schema.Literals(["text", "tool_use", "tool_result"]),
        id: Schema.Literal("t"),
        name: Schema.Literals(["Bash", "Edit", "mcp__x"]),
        input: Schema.Struct({ timeout: Odd })
      })
    ]),
    usage: Schema.Struct({
      input_tokens: Odd,
      cache_read_input_tokens: Odd,
      cache_creation_input_tokens: Odd,
      output_tokens: Odd
    })
  })
})

const now = Date.parse("2026-11-22T01:00:00Z")
const stall = 361_000
const day = 86_400_000

/** Every event that a watcher makes of the end of a session. */
const eventsOf = (records: ReadonlyArray<typeof Hostile.Type>): ReadonlyArray<WatchEvent> => {
  const reading = makeEnd()
  for (const record of records) if (reading.take(record, now) === "enough") break
  const { context, turn } = reading.result()
  const alive = { now, process: "running", turnEnded: false, children: 1, stillSince: undefined } as const
  const none = { pidFile: undefined, hook: undefined, beat: undefined }
  const signs: Signs = { ...alive, ...none, session: { writtenAt: now - 1000, turn, context }, since: now - 5000 }
  const verdict = judge(signs, stall)
  const session = { source: "session file" as const, says: "", age: Math.round(now - (turn?.at ?? now)) }
  const seen = { process: "gone" as const, conductorState: null, heartbeat: null, heartbeatAge: null, staleAfter: 1 }
  const evidence: Event.Evidence = {
    ...seen,
    signs: [session],
    contextTokens: context?.tokens ?? null,
    turnFinished: false,
    end: null
  }
  const died = Event.ConductorDied.make({
    at: now,
    watcher: 1,
    reason: "pid",
    taskCount: 0,
    taskFingerprint: "",
    retries: 0,
    evidence
  })
  const deferred =
    verdict._tag === "Held"
      ? [Event.KillDeferred.make({ at: now, watcher: 1, message: "", until: Math.round(verdict.until) })]
      : []
  const limit = verdict._tag === "Limited" ? { kind: verdict.kind, resetsAt: verdict.resetsAt ?? null } : undefined
  const waits =
    limit === undefined
      ? []
      : [
          Event.WaitStarted.make({
            at: now,
            watcher: 1,
            ...limit,
            until: limitWait(now, 0, limit).until,
            trigger: "limit"
          })
        ]
  const taken =
    context === undefined
      ? []
      : [
          Event.HandoffTaken.make({
            at: now,
            watcher: 1,
            launchId: "x",
            generation: 2,
            takenAt: Math.round(context.at),
            contextTokens: context.tokens,
            contextWindow: context.window ?? null
          })
        ]
  return [died, ...deferred, ...waits, ...taken]
}

describe("behaviour#numbers-of-others", () => {
  it.prop(
    "any end of a session makes events that are kept and read back, and a wait of eight days at most",
    [Schema.Array(Hostile).check(Schema.isMaxLength(3))],
    ([records]) => {
      for (const event of eventsOf(records)) {
        assert.deepStrictEqual(Result.getOrThrow(decodeEvent("w", 1, encodeEvent(event))), event)
        if (event._tag === "KillDeferred" || event._tag === "WaitStarted")
          assert.isAtMost(event.until, now + 8 * day + 4 * stall)
        if (event._tag === "HandoffTaken") assert.isAtMost(event.takenAt, Date.UTC(9999, 11, 31, 23, 59, 59, 999))
      }
    },
    { arbitrary: { runs: 1000 } }
  )

  it("a limit's end may be in milliseconds, and an end that needs no wait is ignored", () => {
    const reset = (resetsAt: number) => {
      const reading = makeEnd()
      reading.take(
        {
          type: "assistant",
          message: { model: "<synthetic>" },
          isApiErrorMessage: true,
          error: "rate_limit",
          quotaLimits: { resetsAt },
          timestamp: "2026-11-22T00:00:00.000Z"
        },
        now
      )
      const { turn } = reading.result()
      return turn?._tag === "Failed" ? turn.resetsAt : undefined
    }
    const end = Date.UTC(2026, 10, 22, 5)
    assert.deepStrictEqual(
      [reset(end / 1000), reset(end), reset(end / 1000 + 0.5), reset(1e300)],
      [end, end, end + 500, undefined]
    )
    const wait = { kind: "usage-limit", resetsAt: now + 32 * day + 1 } as const
    assert.strictEqual(limitWait(now, 0, wait).until, now + 300_000)
    assert.strictEqual(limitWait(now, 0, { ...wait, resetsAt: now + 8 * day + 1 }).until, now + day)
    assert.strictEqual(limitWait(now, 0, { ...wait, resetsAt: now + 8 * day }).until, now + 8 * day)
    assert.strictEqual(limitWait(now, 4000, { ...wait, resetsAt: null }).until, now + 3_600_000)
  })

  it("fractional tokens are rounded, and an absurd count is ignored", () => {
    const tokens = (input_tokens: unknown, model = "claude-opus-5-5") => {
      const end = makeEnd()
      end.take({ type: "assistant", message: { model, usage: { input_tokens, cache_read_input_tokens: 10 } } }, 7)
      return end.result().context
    }
    assert.deepStrictEqual(
      [1.5, 1e300, Infinity, -3, "5"].map((one) => tokens(one)?.tokens),
      [12, 10, 10, 10, 10]
    )
    assert.isUndefined(tokens(5, "constructor")?.window)
  })
})
