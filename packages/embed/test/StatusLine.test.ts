import { assert, describe, it } from "@effect/vitest"
import { failedTurn, initial, type TurnState, type Watch, Words } from "@souffleur/domain"
import { needOf, standingOf, statusLine, withFailed } from "../src/explain/StatusLine.ts"
import { noon, recovery } from "./AtNoon.ts"

const minute = 60_000
const taken = { at: noon, contextTokens: 31_400, contextWindow: 200_000 }
const closed = {
  cycle: 1,
  trigger: "pid",
  stage: "ceiling",
  message: "the ceiling of time is reached",
  since: noon,
  held: false,
  ended: true
} as const
const says = (more: Partial<Watch>, silent = false) =>
  statusLine({ ...initial, phase: "Watching", generation: 1, lastEventAt: noon, ...more }, silent)

describe("command-line#without-a-command", () => {
  it("a watch needs a person for a wait, a hold, a standby, a ceiling, its file or a failed end, and names the command", () => {
    const next = (more: Partial<Watch>, owned = true) =>
      needOf("w", { ...initial, phase: "Watching", ...more }, owned)?.next
    const ceiling = { ceiling: "tokens", used: 2, limit: 1, flag: null } as const
    const overreach = { said: initial.pin, keys: ["AGENT_COMMAND" as const] }
    const person = { for: "permission prompt", since: noon }
    assert.isUndefined(next({}))
    assert.isUndefined(next({ phase: "Exited", person }, false))
    assert.strictEqual(next({ overreach }), "souffleur config --trust")
    assert.strictEqual(next({ ceiling, overreach }), "souffleur retry w")
    assert.strictEqual(next({ standby: closed, ceiling }), "souffleur retry w")
    assert.strictEqual(next({ standby: closed }), "souffleur why w")
    assert.strictEqual(next({ standby: { ...closed, stage: "stop" }, ceiling }), "souffleur why w")
    assert.strictEqual(
      next({ held: { since: noon, byAgent: false }, standby: { ...closed, held: true }, ceiling }),
      "souffleur go w"
    )
    assert.strictEqual(next({ held: { since: noon, byAgent: false } }), undefined, "a person who holds it knows")
    assert.strictEqual(next({ held: { since: noon, byAgent: true } }), "souffleur go w")
    assert.strictEqual(next({ person, held: { since: noon, byAgent: false }, standby: closed }), "souffleur attach w")
    assert.strictEqual(next({ phase: "Exited", end: "retries exhausted" }, false), "souffleur why w")
    assert.isUndefined(next({ phase: "Exited", end: "completed" }, false))
    assert.strictEqual(next({ person }, false), "souffleur resume w")
  })
  it("a watch is unwatched where its souffleur is gone, unless it has ended", () => {
    const standing = (more: Partial<Watch>, owned: boolean) =>
      standingOf({ ...initial, phase: "Watching", generation: 1, ...more }, owned)
    assert.strictEqual(standing({}, true), "watching")
    assert.strictEqual(standing({ held: { since: noon, byAgent: false } }, false), "unwatched: its souffleur is gone")
    assert.strictEqual(standing({ phase: "Exited", end: "completed" }, false), "completed")
  })
})

describe("behaviour#waiting-for-a-person", () => {
  it("a watch whose validation failed needs a person", () => {
    const failures = [{ at: noon, check: "process" as const, message: "no process 7 is running", lastMessageId: 0 }]
    const need = needOf("w", { ...initial, phase: "Validating", failures }, true)
    assert.deepStrictEqual(need, { why: 'its validation failed at "process"', next: "souffleur why w" })
    assert.isNull(needOf("w", { ...initial, phase: "Watching", failures }, true))
  })
  it("a limit of weeks needs a person at once, with its date, and a shorter one does not", () => {
    const day = 86_400_000
    const limited = (resetsAt: number | null) =>
      needOf(
        "w",
        {
          ...initial,
          phase: "Watching",
          wait: { kind: "usage-limit", since: noon, until: noon + day, resetsAt, trigger: "limit", turnAt: null }
        },
        true
      )
    const until = new Date(noon + 20 * day).toISOString().slice(0, 10)
    assert.deepStrictEqual(limited(noon + 20 * day), {
      why: `its usage limit lasts until ${until}, and it is tried once a day`,
      next: "souffleur go w"
    })
    assert.isNull(limited(noon + day))
    assert.isNull(limited(null))
  })
  it("an agent that waits at its prompt needs a person, by one sentence", () => {
    const waiting = (what: string) =>
      needOf("w", { ...initial, phase: "Watching", person: { for: what, since: noon } }, true)
    assert.deepStrictEqual(waiting(failedTurn), {
      why: 'its turn has failed: it waits for your words, or for "souffleur done"',
      next: "souffleur attach w"
    })
  })

  it("an agent whose turn failed at its prompt needs a person by its status, before its watcher has told so", () => {
    const failed = { _tag: "Failed", at: noon, reason: "other", resetsAt: undefined } as const
    const watch: Watch = { ...initial, phase: "Watching", launchId: "w-g2", generation: 2, launchedAt: noon - minute }
    const seen = (more: Partial<Watch>, turn: TurnState | undefined) =>
      withFailed({ ...watch, taken, ...more }, turn).person
    const turn = { ...failed, words: "No key." }
    assert.deepStrictEqual(seen({}, turn), { for: failedTurn, since: noon })
    const person = { for: "permission prompt", since: noon - minute }
    assert.deepStrictEqual(seen({ person }, turn), person)
    for (const other of [{ standby: closed }, { taken: undefined }, { print: true }, { launchedAt: noon + minute }])
      assert.isUndefined(seen(other, turn))
    // A person who breaks a turn off is there.
    for (const other of [failed, undefined]) assert.isUndefined(seen({}, other))
  })
})

describe("behaviour#hand-over", () => {
  it("a hand-over that failed needs a person, by the command that has the agent before go on", () => {
    const need = (stage: string) =>
      needOf(
        "w",
        { ...initial, phase: "Watching", agent: "codex", handedFrom: "pi", standby: { ...closed, stage } },
        true
      )
    const next = "souffleur retry w --agent pi"
    assert.deepStrictEqual(need("hand-over"), { why: "codex cannot take its conversation over", next })
    const own = needOf(
      "w",
      { ...initial, phase: "Watching", agent: "codex", standby: { ...closed, stage: "stop" } },
      true
    )
    assert.strictEqual(own?.next, "souffleur why w")
    assert.deepStrictEqual(need("export"), { why: "its hand-over to codex failed", next })
  })
})

describe("command-line#status", () => {
  it("the state of a watch names the most urgent fact first", () => {
    const wait = { since: noon, trigger: "limit", turnAt: null, resetsAt: null } as const
    assert.strictEqual(says({}), "watching")
    assert.strictEqual(
      says({ wait: { ...wait, kind: "usage-limit", until: noon + 90 * minute } }),
      "waits until 13:30:00 UTC (usage limit)"
    )
    assert.strictEqual(
      says({ wait: { ...wait, kind: "outage", until: noon + minute } }),
      "waits until 12:01:00 UTC (outage)"
    )
    assert.strictEqual(says({ held: { since: noon, byAgent: false } }), 'held until "souffleur go"')
    assert.strictEqual(says({ person: { for: "permission prompt", since: noon } }), "waits for a person")
    assert.strictEqual(
      says({ ceiling: { ceiling: "tokens", used: 2, limit: 1, flag: null } }),
      "watching, at its ceiling"
    )
    assert.strictEqual(
      says({ ceiling: { ceiling: "time", used: 2, limit: 1, flag: null }, standby: closed }),
      "standing by (ceiling)"
    )
    assert.strictEqual(says({ generation: 2, launchId: "w-g2" }), "watching, hand-off not taken yet")
    assert.strictEqual(says({ generation: 2, launchId: "w-g2", taken }), "watching")
    assert.strictEqual(says({ generation: 2, launchId: "w-g2", kind: "command" }), "watching", "a command takes none")
    assert.strictEqual(says({ generation: 2, launchId: "w-g2", recovery }), "recovering")
    assert.strictEqual(says({ phase: "Exited", end: "completed", person: { for: "x", since: noon } }), "completed")
  })

  it("the state of a watch names a deferred kill while the heartbeat is too old", () => {
    const deferred = { message: "a tool runs: Bash", until: noon + 10 * minute }
    assert.strictEqual(says({ deferred }, true), "silent, spared until 12:10:00 UTC")
    assert.strictEqual(says({ deferred }), "watching")
  })

  it("a future time has its date where it is on another day", () => {
    assert.strictEqual(Words.deadline(noon + minute, noon), "12:01:00 UTC")
    assert.strictEqual(Words.deadline(noon + 3 * 24 * 60 * minute, noon), "2026-03-04 12:00 UTC")
  })
})
