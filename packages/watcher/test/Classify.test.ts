import { assert, describe, it } from "@effect/vitest"
import {
  type CommsSnapshot,
  EarlyEnd,
  initial,
  type Signs,
  type TurnState,
  type Watch,
  type WatcherExit
} from "@souffleur/domain"
import { Option } from "effect"
import { classify, evidenceOf, excuseOf, type Observation } from "../src/index.ts"

const now = Date.UTC(2026, 0, 5, 12, 0, 0)
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const comms = (state: string): CommsSnapshot => ({
  conductor: Option.some({ state, lastHeartbeat: null, sessionId: null }),
  souffleur: Option.none(),
  taskCount: 2,
  taskFingerprint: "a",
  lastMessageId: 0
})
const signsOf = (change: Partial<Signs>): Signs => ({
  now,
  process: "running",
  turnEnded: false,
  children: undefined,
  stillSince: undefined,
  session: undefined,
  pidFile: undefined,
  hook: undefined,
  beat: undefined,
  since: 0,
  ...change
})
const healthy: Observation = {
  now,
  read: { wall: now, monotonic: 0 },
  process: "running",
  end: undefined,
  endReason: undefined,
  endedAt: undefined,
  unseen: false,
  comms: comms("working"),
  heartbeat: { raw: ago(10), changedAt: undefined },
  notBefore: 0,
  staleAfter: 240_000,
  otherStateSeen: true,
  newPayload: false,
  turnEnded: false,
  ending: undefined,
  signs: signsOf({}),
  verdict: { _tag: "Alive", because: "it said so" },
  excuse: undefined,
  asksFirst: false,
  handoffTimedOut: false,
  returned: undefined,
  loginRenewed: false,
  resolved: undefined,
  foundSession: undefined
}
const awaiting: Watch = { ...initial, phase: "Watching", sessionId: "s1", awaiting: true }

const found = { sessionId: "s7", holder: "the same" } as const
const holder = { conductor: { pid: 80, startTime: 9, bootId: "boot" }, print: false }

/** Sets the turn of the session by its newest record. */
const at = (turn: TurnState, change: Partial<Signs> = {}): Partial<Observation> => ({
  signs: signsOf({ session: { writtenAt: now, turn, context: undefined }, ...change })
})
const failed = (
  reason: Extract<TurnState, { readonly _tag: "Failed" }>["reason"],
  resetsAt?: number,
  when = now - 1000
): TurnState => ({
  _tag: "Failed",
  at: when,
  reason,
  resetsAt
})

/** Each trigger in its priority, and the exit it gives. Two states cannot stand in one row. */
const triggers: ReadonlyArray<readonly [name: string, change: Partial<Observation>, exit: WatcherExit]> = [
  ["complete", { comms: comms("complete") }, { _tag: "Complete" }],
  ["resolved", { resolved: holder }, { _tag: "Resolved", holder }],
  ["context_recovery", { comms: comms("context_recovery") }, { _tag: "ContextRecovery" }],
  ["a turn's end", { turnEnded: true }, { _tag: "TurnEnded" }],
  [
    "a limit",
    at(failed("usage-limit", now + 9000)),
    { _tag: "Limited", kind: "usage-limit", resetsAt: now + 9000, turnAt: now - 1000 }
  ],
  ["an outage", at(failed("outage")), { _tag: "Limited", kind: "outage", resetsAt: null, turnAt: now - 1000 }],
  ["a conversation that no longer fits", at(failed("prompt-too-long")), { _tag: "ContextExhausted" }],
  ["pid", { process: "gone" }, { _tag: "Dead", reason: "pid" }],
  ["heartbeat", { heartbeat: { raw: ago(241), changedAt: undefined } }, { _tag: "Dead", reason: "heartbeat" }],
  ["untaken", { handoffTimedOut: true }, { _tag: "Dead", reason: "untaken" }],
  ["session id", { foundSession: { ...found, holder } }, { _tag: "SessionIdFound", ...found, holder }]
]
const exitOf = (watch: Watch, change: Partial<Observation>) =>
  Option.getOrUndefined(classify(watch, { ...healthy, ...change }))

const held: Watch = { ...awaiting, awaiting: false }

describe("behaviour#exits", () => {
  describe("the exits", () => {
    it("a healthy observation has no exit", () => assert.isUndefined(exitOf(awaiting, {})))
    it("a Conductor that asked for its user before it ended is no crash, nor is it hung while it waits", () => {
      const asks = { comms: comms("exit_requested") }
      assert.deepStrictEqual(exitOf(held, { ...asks, process: "gone" }), { _tag: "ExitRequested" })
      assert.isUndefined(exitOf(held, { ...asks, heartbeat: { raw: ago(241), changedAt: undefined } }))
    })
    for (const [index, [name, change, exit]] of triggers.entries()) {
      it(`${name} alone`, () => assert.deepStrictEqual(exitOf(awaiting, change), exit))
      for (const [other, lower] of triggers.slice(index + 1)) {
        it(`${name} before ${other}`, () => assert.deepStrictEqual(exitOf(awaiting, { ...lower, ...change }), exit))
      }
      it(`${name} while standing by`, () => {
        const standby: Watch = {
          ...awaiting,
          standby: { trigger: "pid", cycle: 1, stage: "gate", message: "too large", since: 0, held: false, ended: true }
        }
        assert.deepStrictEqual(exitOf(standby, change), name === "complete" ? exit : undefined)
      })
    }
    it("an end that was judged as early is not complete later, while its recovery is put off", () => {
      const ended = { process: "gone", ending: "complete" } as const
      const solo: Watch = { ...awaiting, comms: null, awaiting: false }
      for (const trigger of [...EarlyEnd.literals, "pid"] as const) {
        const standby = { trigger, cycle: 1, stage: "hold", message: "held", since: 0, held: true, ended: true }
        const wait = { kind: "quiet-hours", until: now + 1, trigger, since: 0, turnAt: null, resetsAt: null } as const
        const complete = trigger === "pid" ? { _tag: "Complete" as const } : undefined
        assert.deepStrictEqual(exitOf({ ...solo, standby }, ended), complete, trigger)
        assert.deepStrictEqual(exitOf({ ...solo, wait }, ended), complete, trigger)
        assert.deepStrictEqual(exitOf({ ...solo, standby }, { comms: comms("complete") }), { _tag: "Complete" })
      }
    })
    it("an end that no launch mends is told as such, and a living agent still waits for its person", () => {
      for (const reason of ["login", "account", "model", "cap"] as const) {
        assert.deepStrictEqual(exitOf(awaiting, { ...at(failed(reason)), process: "gone" }), {
          _tag: "Unmendable",
          reason
        })
        assert.isUndefined(exitOf(awaiting, at(failed(reason))))
      }
    })
    it("the exit code of an agent that records no reason tells it, and never outranks a record", () => {
      const ended = { process: "gone", endReason: "cap" } as const
      assert.deepStrictEqual(exitOf(awaiting, ended), { _tag: "Unmendable", reason: "cap" })
      assert.deepStrictEqual(exitOf(awaiting, { ...at(failed("login")), ...ended }), {
        _tag: "Unmendable",
        reason: "login"
      })
      assert.strictEqual(exitOf(awaiting, { ...at(failed("usage-limit")), ...ended })?._tag, "Limited")
    })
    it("an error that is not known is tried again after waits, and then a person is asked", () => {
      const turn = { ...failed("other"), words: "I am a teapot" } as TurnState
      const ended = { ...at(turn), process: "gone" } as const
      const kind = { _tag: "Limited", kind: "unknown-error", resetsAt: null, turnAt: now - 1000 } as const
      assert.deepStrictEqual(exitOf({ ...awaiting, waits: 2 }, ended), kind)
      assert.deepStrictEqual(exitOf({ ...awaiting, waits: 3 }, ended), { _tag: "Unmendable", reason: "other" })
      // A person broke it off, or its answer was cut.
      assert.deepStrictEqual(exitOf(awaiting, { ...at(failed("other")), process: "gone" }), {
        _tag: "Dead",
        reason: "pid"
      })
    })
    it("a zombie is gone; a stopped process and an unknown one are not", () => {
      assert.deepStrictEqual(exitOf(awaiting, { process: "zombie" }), { _tag: "Dead", reason: "pid" })
      for (const process of ["stopped", undefined] as const) assert.isUndefined(exitOf(awaiting, { process }))
    })
    it("a hand-off that was not raised in this generation is none", () =>
      assert.isUndefined(exitOf(awaiting, { comms: comms("context_recovery"), otherStateSeen: false })))
  })

  it("the last session of an ended process is reported before its death, and before any other end", () => {
    for (const process of ["gone", "zombie"] as const)
      assert.deepStrictEqual(exitOf(held, { process, foundSession: found, turnEnded: true }), {
        _tag: "SessionIdFound",
        ...found
      })
    // A successor was cleared before its first look. Another agent chose its id, and ended before it was known.
    for (const sessionId of ["s1", ""])
      assert.deepStrictEqual(exitOf({ ...awaiting, sessionId }, { process: "gone", foundSession: found }), {
        _tag: "SessionIdFound",
        ...found
      })
    // The row confirms the session of the launch, which changes nothing any more.
    const confirmed = { ...found, sessionId: "s1" }
    assert.deepStrictEqual(exitOf(awaiting, { process: "gone", foundSession: confirmed }), {
      _tag: "Dead",
      reason: "pid"
    })
    assert.deepStrictEqual(exitOf(held, { process: "gone", foundSession: { ...found, holder: "unknown" } }), {
      _tag: "Dead",
      reason: "pid"
    })
  })
})

describe("behaviour#heartbeat-age", () => {
  describe("the age of the heartbeat", () => {
    const aged = (raw: string | null, change: Partial<Observation> = {}) =>
      exitOf(awaiting, { heartbeat: { raw, changedAt: undefined }, ...change })
    it("a heartbeat is too old one millisecond after 240 s, not at exactly 240 s", () => {
      assert.isUndefined(aged(ago(240)))
      assert.deepStrictEqual(aged(ago(240.001)), { _tag: "Dead", reason: "heartbeat" })
    })
    it("the age is unknown for NULL, garbage and the future, and while comms is out", () => {
      for (const raw of [null, "", "yesterday", ago(-1)]) assert.isUndefined(aged(raw), String(raw))
      assert.isUndefined(aged(ago(9000), { comms: undefined }))
    })
    it("the age does not count the time before the launch", () => {
      assert.isUndefined(aged(ago(9000), { notBefore: now - 240_000 }))
      assert.isDefined(aged(ago(9000), { notBefore: now - 240_001 }))
    })
  })
})

describe("behaviour#waiting-for-a-person", () => {
  it("a failure of an earlier generation says nothing of this one", () => {
    const later: Watch = { ...awaiting, launchedAt: now - 999 }
    for (const why of ["usage-limit", "outage", "prompt-too-long"] as const)
      assert.isUndefined(exitOf(later, at(failed(why))))
    // It may fail before its launch is confirmed, and by a clock that was set back since.
    const soon: Watch = { ...later, preparedAt: now - 1001 }
    assert.strictEqual(exitOf(soon, at(failed("outage")))?._tag, "Limited")
    assert.strictEqual(exitOf({ ...soon, preparedAt: now - 999 }, at(failed("outage")))?._tag, "Limited")
    assert.isUndefined(exitOf({ ...soon, turnBefore: now - 1000 }, at(failed("outage"))))
  })
})

describe("behaviour#verdicts", () => {
  it("a hung session is dead without comms; with comms the heartbeat decides", () => {
    const hung: Partial<Observation> = { verdict: { _tag: "Hung", silentFor: 1_200_000 } }
    assert.deepStrictEqual(exitOf({ ...awaiting, comms: null }, { ...hung, comms: undefined }), {
      _tag: "Dead",
      reason: "hang"
    })
    assert.isUndefined(exitOf({ ...awaiting, comms: "/p/comms.db" }, hung))
  })
})

describe("behaviour#excuses", () => {
  describe("a heartbeat that is too old", () => {
    const dead = { _tag: "Dead", reason: "heartbeat" } as const
    const stale = (...changes: ReadonlyArray<Partial<Observation> & { readonly answeredAt?: number }>) => {
      const seen = Object.assign(
        { ...healthy, answeredAt: 0, heartbeat: { raw: ago(241), changedAt: undefined } },
        ...changes
      )
      return exitOf(awaiting, { ...seen, excuse: excuseOf({ ...seen, stallAfter: 361_000 }) })
    }
    const explained = (until: number): Partial<Observation> => ({
      verdict: { _tag: "Held", by: "tool", because: "a tool runs", until }
    })
    const tool = (since: number, limit: number | undefined, children = 1) =>
      at({ _tag: "Tool", at: now - since, name: "Bash", limit, spawns: true }, { children })
    it("an old heartbeat is excused by a tool until its time or its verdict is over", () => {
      assert.isUndefined(stale(tool(100_000, 100_001), explained(now + 500_000)))
      assert.deepStrictEqual(stale(tool(100_000, 100_000), explained(now + 500_000)), dead)
      assert.isUndefined(stale(tool(100_000, undefined), explained(now + 1)))
      assert.deepStrictEqual(stale(tool(100_000, undefined), explained(now)), dead)
    })
    it("an old heartbeat is excused by a tool from when a person allowed it", () => {
      assert.isUndefined(stale(tool(900_000, 60_000), explained(now + 500_000), { answeredAt: now - 59_999 }))
      assert.deepStrictEqual(stale(tool(900_000, 60_000), explained(now + 500_000), { answeredAt: now - 60_000 }), dead)
    })
    it("an old heartbeat is not excused by a tool without a process", () =>
      assert.deepStrictEqual(stale(tool(100, 60_000, 0), explained(now + 500_000)), dead))
    it("an old heartbeat is excused by a retry until the next try had its time, not by a call", () => {
      const retry = (nextAt: number) =>
        at({ _tag: "Retrying", at: now - 9000, attempt: 1, attempts: 10, nextAt, resetsAt: undefined })
      assert.isUndefined(stale(retry(now - 360_999), explained(now + 500_000)))
      assert.deepStrictEqual(stale(retry(now - 361_000), explained(now + 500_000)), dead)
      assert.deepStrictEqual(stale(at({ _tag: "Asked", at: now - 9000 }), explained(now + 500_000)), dead)
    })
    it("an excuse ends with its newest sign, whatever time a record or its file has", () => {
      const year = 365 * 86_400_000
      const retry = at({
        _tag: "Retrying",
        at: now + year,
        attempt: 1,
        attempts: 10,
        nextAt: now + year + 5000,
        resetsAt: undefined
      })
      assert.isUndefined(stale(retry, explained(now + 1)))
      assert.deepStrictEqual(stale(retry, explained(now)), dead)
    })
    it("an old heartbeat of a live process is excused while a person is awaited", () => {
      const waiting: Partial<Observation> = { verdict: { _tag: "Waiting", for: "a permission", since: 0 } }
      assert.isUndefined(stale(waiting))
      for (const process of ["stopped", undefined] as const) assert.deepStrictEqual(stale(waiting, { process }), dead)
    })
  })
})

describe("behaviour#limits-and-waits", () => {
  describe("a wait", () => {
    const wait = (until: number, kind: "usage-limit" | "quiet-hours" = "usage-limit"): Watch => ({
      ...awaiting,
      wait: {
        kind,
        until,
        resetsAt: null,
        trigger: "limit",
        since: now - 5000,
        turnAt: kind === "quiet-hours" ? null : now - 5001
      }
    })
    const over = { _tag: "WaitOver", how: "over" } as const
    it("a wait is over at its time; until then only completion and a request for recovery count", () => {
      const counts = new Set(["complete", "resolved", "context_recovery"])
      for (const [name, change, exit] of triggers)
        assert.deepStrictEqual(exitOf(wait(now + 1), change), counts.has(name) ? exit : undefined, name)
      // A wait for the same request is not ended by it.
      const asked = { ...awaiting, wait: { ...wait(now + 1, "quiet-hours").wait!, trigger: "handoff" as const } }
      assert.isUndefined(exitOf(asked, { comms: comms("context_recovery") }))
      assert.deepStrictEqual(exitOf(wait(now), { process: "gone" }), over)
    })
    it("a wait is over when the Conductor goes on by itself, except in the quiet hours", () => {
      const goesOn = (when: number, change: Partial<Signs> = {}) => at({ _tag: "Asked", at: when }, change)
      assert.deepStrictEqual(exitOf(wait(now + 1), goesOn(now - 4999)), { _tag: "WaitOver", how: "went on" })
      assert.isUndefined(exitOf(wait(now + 1), goesOn(now - 5001)))
      // Its clock was set back since, and the turn is a new one all the same.
      assert.deepStrictEqual(exitOf(wait(now + 1), goesOn(now - 9000)), { _tag: "WaitOver", how: "went on" })
      assert.isUndefined(exitOf(wait(now + 1), goesOn(now - 4999, { process: "gone" })))
      assert.isUndefined(exitOf(wait(now + 1, "quiet-hours"), goesOn(now - 4999)))
      assert.isUndefined(exitOf(wait(now + 1), at(failed("usage-limit"))))
    })
    it("a wait is over too where the clock was set back to before it, and would put it off for as long", () => {
      const hour = 3_600_000
      const later = { ...awaiting, wait: { ...wait(now + 2 * hour).wait!, since: now + 1 } }
      assert.deepStrictEqual(exitOf(later, { process: "gone" }), over)
      assert.isUndefined(exitOf({ ...later, wait: { ...later.wait, since: now } }, { process: "gone" }))
    })
    it("after a wait whose session somebody else went on with meanwhile, an end that no launch mends is told as such", () => {
      for (const reason of ["cap", "login", "account", "model"] as const) {
        const ended = { ...at(failed(reason)), process: "gone" } as const
        assert.deepStrictEqual(exitOf(wait(now), ended), { _tag: "Unmendable", reason })
        assert.isUndefined(exitOf(wait(now + 1), ended))
        assert.deepStrictEqual(exitOf(wait(now), at(failed(reason))), over)
      }
    })
    it("a wait is put off only by a newly stated limit", () => {
      const again = { _tag: "Limited", kind: "usage-limit", resetsAt: now + 9000, turnAt: now - 1000 } as const
      assert.deepStrictEqual(exitOf(wait(now), at(failed("usage-limit", now + 9000))), again)
      assert.deepStrictEqual(exitOf(wait(now), at(failed("usage-limit", now))), over)
      assert.deepStrictEqual(exitOf(wait(now), at(failed("usage-limit"))), over)
      assert.deepStrictEqual(exitOf(wait(now), at(failed("outage", now + 9000))), over)
      assert.deepStrictEqual(exitOf(wait(now), at(failed("usage-limit", now + 9000, now - 5001))), over)
      // A time without end would put the wait off for ever.
      const days = (count: number) => now + count * 86_400_000
      assert.strictEqual(exitOf(wait(now), at(failed("usage-limit", days(8))))?._tag, "Limited")
      assert.deepStrictEqual(exitOf(wait(now), at(failed("usage-limit", days(8) + 1))), over)
    })
  })
})

describe("behaviour#said-to-be-done", () => {
  it("a finished turn says that the work is done where it is this generation's, and nothing was refused in it", () => {
    const finished = { ...healthy, ...at({ _tag: "Finished", at: now }) }
    assert.isTrue(evidenceOf(awaiting, finished).turnFinished)
    const before: Watch = { ...awaiting, preparedAt: now - 5000, turnBefore: now }
    assert.isFalse(evidenceOf(before, finished).turnFinished)
    const session = { ...finished.signs.session!, refused: true }
    assert.isFalse(evidenceOf(awaiting, { ...finished, signs: { ...finished.signs, session } }).turnFinished)
  })
  it("the evidence has all that a decision rests on", () => {
    assert.deepStrictEqual(
      evidenceOf(awaiting, {
        ...healthy,
        process: undefined,
        comms: undefined,
        heartbeat: { raw: "soon", changedAt: undefined }
      }),
      {
        process: "unknown",
        conductorState: null,
        heartbeat: "soon",
        heartbeatAge: null,
        staleAfter: 240_000,
        signs: [],
        contextTokens: null,
        turnFinished: false,
        end: null
      }
    )
    assert.deepStrictEqual(evidenceOf(awaiting, healthy), {
      process: "running",
      conductorState: "working",
      heartbeat: ago(10),
      heartbeatAge: 10_000,
      staleAfter: 240_000,
      signs: [],
      contextTokens: null,
      turnFinished: false,
      end: null
    })
  })
})
