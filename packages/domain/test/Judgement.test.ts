import { assert, describe, it } from "@effect/vitest"
import { judge, type SessionSigns, type Signs, type TurnState } from "@souffleur/domain"
import { Schema } from "effect"

const stall = 361_000
const hour = 3_600_000
const now = 1_800_000_000_000

/** Silent for an hour, in the middle of a turn: all that there is says so. */
const silent = (turn: TurnState | undefined, more: Partial<Signs> = {}): Signs => ({
  now,
  process: "running",
  turnEnded: false,
  children: undefined,
  stillSince: undefined,
  session: { writtenAt: now - hour, turn, context: undefined },
  pidFile: { status: "busy", waitingFor: undefined, writtenAt: now - hour },
  hook: { event: "PreToolUse", at: now - hour },
  beat: now - hour,
  since: now - 2 * hour,
  ...more
})
const busySince = (writtenAt: number) => ({ status: "busy", waitingFor: undefined, writtenAt })
const asked: TurnState = { _tag: "Asked", at: now - hour }
const bash = (limit: number): TurnState => ({ _tag: "Tool", at: now - hour, name: "Bash", limit, spawns: true })
const failed = (reason: Extract<TurnState, { readonly _tag: "Failed" }>["reason"]): TurnState => ({
  _tag: "Failed",
  at: now - hour,
  reason,
  resetsAt: undefined
})
const tagOf = (signs: Signs) => judge(signs, stall)._tag

const Ago = Schema.Int.check(Schema.isBetween({ minimum: -hour, maximum: 4 * hour }))
const Sources = Schema.Struct({
  process: Schema.Literals(["running", "stopped", "unknown"]),
  turn: Schema.Literals(["Asked", "Tool", "Retrying", "none"]),
  turnAt: Ago,
  since: Ago,
  still: Schema.UndefinedOr(Ago),
  session: Schema.UndefinedOr(Ago),
  pidFile: Schema.UndefinedOr(Ago),
  hook: Schema.UndefinedOr(Ago),
  beat: Schema.UndefinedOr(Ago)
})
const before = (ago: number | undefined) => (ago === undefined ? undefined : now - ago)
const signsOf = (from: typeof Sources.Type): Signs => {
  const at = now - from.turnAt
  const turns: Readonly<Record<typeof from.turn, TurnState | undefined>> = {
    Asked: { _tag: "Asked", at },
    Tool: { _tag: "Tool", at, name: "Bash", limit: 120_000, spawns: true },
    Retrying: { _tag: "Retrying", at, attempt: 1, attempts: 10, nextAt: at + 5000, resetsAt: undefined },
    none: undefined
  }
  const [hook, session, writtenAt] = [before(from.hook), before(from.session), before(from.pidFile)]
  return {
    now,
    process: from.process === "unknown" ? undefined : from.process,
    turnEnded: false,
    children: undefined,
    stillSince: before(from.still),
    session: session === undefined ? undefined : { writtenAt: session, turn: turns[from.turn], context: undefined },
    pidFile: writtenAt === undefined ? undefined : { status: "busy", waitingFor: undefined, writtenAt },
    hook: hook === undefined ? undefined : { event: "Stop", at: hook },
    beat: before(from.beat),
    since: now - Math.max(0, from.since)
  }
}

describe("behaviour#verdicts", () => {
  it("a hang needs every sign silent for longer than the stall time, and the outstanding act's time over", () => {
    assert.deepStrictEqual(judge(silent(asked), stall), { _tag: "Hung", silentFor: hour })
    assert.strictEqual(tagOf(silent(bash(120_000))), "Hung")
    const fresh = now - stall
    for (const more of [
      { beat: fresh },
      { hook: { event: "PostToolUse", at: fresh } },
      { pidFile: busySince(fresh) },
      { session: { writtenAt: fresh, turn: asked, context: undefined } satisfies SessionSigns },
      { since: fresh }
    ]) {
      assert.notStrictEqual(tagOf(silent(asked, more)), "Hung", JSON.stringify(more))
    }
  })
  it("a hang is not stated where the process, the session or its turn is not known", () => {
    for (const more of [{ process: undefined }, { session: undefined }])
      assert.strictEqual(tagOf(silent(asked, more)), "Unknown")
    assert.strictEqual(tagOf(silent(undefined)), "Unknown")
  })
  it("a hang of an agent that may be still needs its stillness too, since it writes nothing while it is answered", () => {
    const of = (more: Partial<Signs> = {}) => {
      const session: SessionSigns = { writtenAt: now - hour, turn: asked, context: undefined, idles: true }
      return tagOf(silent(undefined, { session, ...more }))
    }
    assert.deepStrictEqual([of(), of({ stillSince: now - 1000 })], ["Unknown", "Unknown"])
    assert.deepStrictEqual([of({ stillSince: now - hour }), of({ process: "stopped" })], ["Hung", "Hung"])
    // Its timers go on.
    assert.strictEqual(of({ stillSince: now - 1000, restsSince: now - hour }), "Hung")
  })
  it("a hang of an agent that seems to receive an answer needs no more than two hours of silence, for want of a true share", () => {
    const at = (ago: number) => {
      const turn: TurnState = { _tag: "Asked", at: now - ago }
      const session: SessionSigns = { writtenAt: now - ago, turn, context: undefined, idles: true }
      const none = { hook: undefined, beat: undefined, since: now - 3 * hour }
      return tagOf(silent(turn, { ...none, session, pidFile: busySince(now - ago), stillSince: now - 1000 }))
    }
    assert.deepStrictEqual([at(2 * hour), at(2 * hour + 1)], ["Unknown", "Hung"])
  })
  it("a hang of a tool that runs as a process begins when there is no process", () => {
    const at = (ago: number, children: number | undefined) => {
      const turn: TurnState = { _tag: "Tool", at: now - ago, name: "Bash", limit: 600_000, spawns: true }
      const alone = { hook: undefined, beat: undefined, pidFile: busySince(now - ago), children }
      return tagOf({ ...silent(turn, alone), session: { writtenAt: now - ago, turn, context: undefined } })
    }
    assert.deepStrictEqual([at(stall, 0), at(stall + 1, 0)], ["Held", "Hung"])
    assert.deepStrictEqual([at(stall + 1, 1), at(stall + 1, undefined)], ["Held", "Held"])
  })
  it("a hang of one that waits for its subagents or tasks begins where none lives, three silent stalls later", () => {
    const turn: TurnState = { _tag: "Finished", at: now - hour }
    const of = (ago: number, more: Partial<Signs>) =>
      tagOf(
        silent(turn, {
          hook: undefined,
          beat: undefined,
          pidFile: busySince(now - ago),
          session: { writtenAt: now - ago, turn: { _tag: "Finished", at: now - ago }, context: undefined },
          stillSince: now - 1000,
          restsSince: now - hour,
          left: 0,
          ...more
        })
      )
    assert.deepStrictEqual([of(3 * stall, {}), of(3 * stall + 1, {})], ["Alive", "Hung"])
    const late = 3 * stall + 1
    for (const lives of [{ left: 1 }, { left: undefined }, { restsSince: now - stall }])
      assert.strictEqual(of(late, lives), "Alive", JSON.stringify(lives))
  })
  it("a hang needs neither a hook nor a beat", () => {
    assert.strictEqual(tagOf(silent(asked, { hook: undefined, beat: undefined })), "Hung")
  })
  it("a hang needs a busy pid file, which alone tells of a person's answer, or a process that does nothing at all", () => {
    for (const pidFile of [undefined, { ...busySince(now - hour), status: "of tomorrow" }]) {
      assert.strictEqual(tagOf(silent(asked, { pidFile })), "Unknown")
      assert.strictEqual(tagOf(silent(bash(120_000), { pidFile, children: 0 })), "Unknown")
      assert.strictEqual(tagOf(silent(asked, { pidFile, process: "stopped" })), "Hung")
    }
  })
  it("a hang of a call takes three stalls, since a call is silently repeated; one where the process does nothing at all", () => {
    const at = (ago: number, more: Partial<Signs> = {}) =>
      tagOf({
        ...silent(
          { _tag: "Asked", at: now - ago },
          { hook: undefined, beat: undefined, pidFile: busySince(now - ago), ...more }
        ),
        session: { writtenAt: now - ago, turn: { _tag: "Asked", at: now - ago }, context: undefined }
      })
    assert.deepStrictEqual([at(3 * stall), at(3 * stall + 1)], ["Held", "Hung"])
    const still = { stillSince: now - stall - 1 }
    assert.deepStrictEqual([at(stall, still), at(stall + 1, still)], ["Held", "Hung"])
    assert.strictEqual(at(stall + 1, { stillSince: now - stall }), "Held")
    assert.strictEqual(at(stall + 1, { stillSince: now - stall, restsSince: now - hour }), "Held", "its timers went on")
    assert.deepStrictEqual([at(stall, { process: "stopped" }), at(stall + 1, { process: "stopped" })], ["Held", "Hung"])
  })
  it("a hang of a call waits for as long as the user gives the service, and one stall more", () => {
    const at = (ago: number) => {
      const turn: TurnState = { _tag: "Asked", at: now - ago }
      const session = { writtenAt: now - ago, turn, context: undefined, callLimit: 2 * hour }
      return tagOf({
        ...silent(turn),
        hook: undefined,
        beat: undefined,
        pidFile: busySince(now - ago),
        session,
        since: 0
      })
    }
    assert.deepStrictEqual([at(2 * hour + stall), at(2 * hour + stall + 1)], ["Held", "Hung"])
  })
  it("a hang counts again from a break in souffleur's own polling", () => {
    assert.strictEqual(tagOf(silent(asked, { since: now - 1000 })), "Held")
    assert.strictEqual(tagOf(silent(asked, { since: now - 1000, process: "stopped", stillSince: now - hour })), "Held")
  })
  it("a clock that was set back makes no hang: a future sign says nothing, and silence counts from the last break", () => {
    const ahead: Partial<Signs> = {
      session: { writtenAt: now + hour, turn: { _tag: "Asked", at: now + hour }, context: undefined }
    }
    assert.deepInclude(
      judge(
        silent(asked, { ...ahead, hook: undefined, beat: undefined, pidFile: undefined, since: now - 1000 }),
        stall
      ),
      {
        _tag: "Held",
        until: now - 1000 + 3 * stall
      }
    )
    assert.strictEqual(tagOf(silent(asked, ahead)), "Hung")
  })

  describe("a sign of life", () => {
    it("a tool below its own limit and the stall time after it; one without a limit for two hours", () => {
      const started = now - hour
      assert.deepInclude(judge(silent(bash(hour)), stall), { _tag: "Held", by: "tool", until: started + hour + stall })
      const subagent: TurnState = { _tag: "Tool", at: started, name: "Task", limit: undefined, spawns: false }
      assert.deepInclude(judge(silent(subagent), stall), {
        _tag: "Held",
        by: "tool",
        until: started + 2 * hour + stall
      })
    })
    it("a tool whose processes use the processor for as long as any tool may take, whatever limit is known of it", () => {
      const held = (limit: number, ago: number, more: Partial<Signs> = {}) => {
        const turn: TurnState = { _tag: "Tool", at: now - ago, name: "Bash", limit, spawns: true }
        const alone = { hook: undefined, beat: undefined, since: now - 9 * hour, children: 1, workedAt: now - stall }
        const session = { writtenAt: now - ago, turn, context: undefined }
        return tagOf({ ...silent(turn, { ...alone, pidFile: busySince(now - ago) }), session, ...more })
      }
      assert.deepStrictEqual([held(600_000, 2 * hour + stall), held(600_000, 2 * hour + stall + 1)], ["Held", "Hung"])
      assert.deepStrictEqual([held(4 * hour, 3 * hour), held(600_000, hour, { stillSince: 0 })], ["Held", "Held"])
      // It worked before, or only what never ends does.
      assert.strictEqual(held(600_000, hour, { workedAt: now - stall - 1 }), "Hung")
      const edit: TurnState = { _tag: "Tool", at: now - hour, name: "Edit", limit: 0, spawns: false }
      assert.strictEqual(tagOf(silent(edit, { workedAt: now })), "Hung")
      assert.strictEqual(held(600_000, hour, { process: "stopped" }), "Hung")
    })
    it("a retry until it is made, and its call after it; a limit that it waits for", () => {
      const retrying = (resetsAt: number | undefined): TurnState => ({
        _tag: "Retrying",
        at: now - hour,
        attempt: 2,
        attempts: 10,
        nextAt: now + hour,
        resetsAt
      })
      assert.deepInclude(judge(silent(retrying(undefined)), stall), {
        _tag: "Held",
        by: "retry",
        until: now + hour + 3 * stall
      })
      assert.deepInclude(judge(silent(retrying(now + hour)), stall), { _tag: "Held", by: "limit" })
    })
    it("a person that is waited for, though all else is silent", () => {
      const pidFile = { status: "waiting", waitingFor: "permission prompt", writtenAt: now - hour }
      assert.deepStrictEqual(judge(silent(bash(0), { pidFile, process: "stopped" }), stall), {
        _tag: "Waiting",
        for: "permission prompt",
        since: now - hour
      })
      assert.strictEqual(tagOf(silent({ _tag: "Question", at: now - hour, name: "AskUserQuestion" })), "Waiting")
      for (const reason of ["account", "cap"] as const)
        assert.strictEqual(tagOf(silent(failed(reason))), "Waiting", reason)
    })
    it("a turn that is over, by its session or its pid file", () => {
      const finished = silent({ _tag: "Finished", at: now - hour })
      assert.deepStrictEqual(judge({ ...finished, pidFile: undefined }, stall), { _tag: "Idle", since: now - hour })
      // With subagents in the background.
      assert.strictEqual(tagOf(finished), "Alive")
      assert.strictEqual(tagOf({ ...finished, process: "stopped" }), "Hung")
      assert.strictEqual(
        tagOf(silent(asked, { pidFile: { status: "idle", waitingFor: undefined, writtenAt: now - hour } })),
        "Idle"
      )
      assert.strictEqual(tagOf(silent(failed("other"))), "Idle")
    })
    it("a fresh sign of any source, where the session says nothing", () => {
      const verdict = judge(silent(undefined, { hook: { event: "PreToolUse", at: now - 12_000 } }), stall)
      assert.deepStrictEqual(verdict, { _tag: "Alive", because: "12 s ago it ran a hook" })
    })
  })

  it("a process that is gone is gone, whatever else is said of it", () => {
    for (const process of ["gone", "zombie"] as const) {
      assert.deepStrictEqual(judge(silent(asked, { process }), stall), { _tag: "Gone", clean: false })
      assert.deepStrictEqual(judge(silent(asked, { process, turnEnded: true }), stall), { _tag: "Gone", clean: true })
    }
  })

  describe("always", () => {
    const times = (signs: Signs): ReadonlyArray<number> =>
      [signs.session?.writtenAt, signs.session?.turn?.at, signs.pidFile?.writtenAt, signs.hook?.at, signs.beat].flatMap(
        (at) => (at === undefined ? [] : [at])
      )
    it.prop(
      "silence up to the stall time is never a hang, and a hang has been silent for longer",
      [Sources],
      ([from]) => {
        const signs = signsOf(from)
        const verdict = judge(signs, stall)
        if (verdict._tag !== "Hung") return
        assert.isAbove(verdict.silentFor, stall)
        assert.isFalse([...times(signs), signs.since].some((at) => at <= now && at >= now - stall))
        assert.isDefined(signs.process)
        assert.isDefined(signs.session?.turn)
      }
    )
    it.prop("an unknown sign never makes a hang of another verdict", [Sources], ([from]) => {
      const signs = signsOf(from)
      if (judge(signs, stall)._tag === "Hung") return
      // When its pid file was written is a sign of life of its own; what that says may be unknown.
      const pidFile = signs.pidFile && { ...signs.pidFile, status: "of tomorrow" }
      for (const unknown of [{ process: undefined }, { session: undefined }, { stillSince: undefined }, { pidFile }]) {
        assert.notStrictEqual(judge({ ...signs, ...unknown }, stall)._tag, "Hung")
      }
    })
    it.prop("a held turn is held until a time that is not over", [Sources], ([from]) => {
      const signs = signsOf(from)
      const verdict = judge(signs, stall)
      if (verdict._tag === "Held") assert.isAtLeast(verdict.until, now)
    })
  })
})

describe("behaviour#signs", () => {
  it("stillness is no hang of an agent that may be still while it waits, unless it is stopped", () => {
    const of = (idles: boolean, more: Partial<Signs> = {}) => {
      const session: SessionSigns = { writtenAt: now - hour, turn: bash(2 * hour), context: undefined, idles }
      return tagOf(silent(undefined, { session, stillSince: now - hour, ...more }))
    }
    assert.deepStrictEqual([of(false), of(true), of(true, { process: "stopped" })], ["Hung", "Held", "Hung"])
  })
})

describe("behaviour#limits-and-waits", () => {
  describe("a sign of life", () => {
    it("a usage limit and an outage; a conversation that no longer fits is neither", () => {
      const limit: TurnState = { _tag: "Failed", at: now - hour, reason: "usage-limit", resetsAt: now + hour }
      assert.deepStrictEqual(judge(silent(limit), stall), {
        _tag: "Limited",
        kind: "usage-limit",
        at: now - hour,
        resetsAt: now + hour
      })
      assert.deepInclude(judge(silent(failed("outage")), stall), { _tag: "Limited", kind: "outage" })
      assert.deepStrictEqual(judge(silent(failed("prompt-too-long")), stall), { _tag: "Exhausted", at: now - hour })
    })
  })
})
