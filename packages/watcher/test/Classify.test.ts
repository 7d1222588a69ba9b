import { assert, describe, it } from "@effect/vitest"
import { type CommsSnapshot, initial, type Signs, type Watch, type WatcherExit } from "@souffleur/domain"
import { Option } from "effect"
import { classify, evidenceOf, type Sighting } from "../src/index.ts"

const now = Date.UTC(2026, 0, 5, 12, 0, 0)
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const comms = (state: string): CommsSnapshot => ({
  conductor: Option.some({ state, lastHeartbeat: null, sessionId: null }),
  souffleur: Option.none(),
  taskCount: 2,
  taskFingerprint: "a",
  payload: Option.none(),
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
const healthy: Sighting = {
  now,
  process: "running",
  comms: comms("working"),
  heartbeat: { raw: ago(10), changedAt: undefined },
  notBefore: 0,
  staleAfter: 240_000,
  stallAfter: 361_000,
  otherStateSeen: true,
  answeredAt: 0,
  newPayload: false,
  turnEnded: false,
  finished: false,
  signs: signsOf({}),
  verdict: { _tag: "Alive", because: "it said so" },
  untaken: false,
  returned: undefined,
  resolved: undefined,
  foundSession: undefined
}
const awaiting: Watch = { ...initial, phase: "Watching", awaiting: true }

const found = { sessionId: "s7", holder: "the same" } as const
const holder = { conductor: { pid: 80, startTime: 9, bootId: "boot" }, print: false }

/** Each trigger of spec §2 in its priority, and the exit it gives. Two states cannot stand in one row. */
const triggers: ReadonlyArray<readonly [name: string, change: Partial<Sighting>, exit: WatcherExit]> = [
  ["complete", { comms: comms("complete") }, { _tag: "Complete" }],
  ["resolved", { resolved: holder }, { _tag: "Resolved", holder }],
  ["context_recovery", { comms: comms("context_recovery") }, { _tag: "ContextRecovery" }],
  ["pid", { process: "gone" }, { _tag: "Dead", cause: "pid" }],
  ["heartbeat", { heartbeat: { raw: ago(241), changedAt: undefined } }, { _tag: "Dead", cause: "heartbeat" }],
  ["session id", { foundSession: found }, { _tag: "SessionIdFound", ...found }]
]
const exitOf = (watch: Watch, change: Partial<Sighting>) => Option.getOrUndefined(classify(watch, { ...healthy, ...change }))

describe("the exits", () => {
  it("none where all is well", () => assert.isUndefined(exitOf(awaiting, {})))
  for (const [index, [name, change, exit]] of triggers.entries()) {
    it(`${name} alone`, () => assert.deepStrictEqual(exitOf(awaiting, change), exit))
    for (const [other, lower] of triggers.slice(index + 1)) {
      it(`${name} before ${other}`, () => assert.deepStrictEqual(exitOf(awaiting, { ...lower, ...change }), exit))
    }
    it(`${name} while standing by`, () => {
      const standby: Watch = { ...awaiting, standby: { trigger: "pid", cycle: 1, stage: "gate", reason: "too large", since: 0 } }
      assert.deepStrictEqual(exitOf(standby, change), name === "complete" ? exit : undefined)
    })
  }
  it("a zombie is gone; a stopped process and an unknown one are not", () => {
    assert.deepStrictEqual(exitOf(awaiting, { process: "zombie" }), { _tag: "Dead", cause: "pid" })
    for (const process of ["stopped", undefined] as const) assert.isUndefined(exitOf(awaiting, { process }))
  })
  it("a handoff that was not raised in this generation is none", () =>
    assert.isUndefined(exitOf(awaiting, { comms: comms("context_recovery"), otherStateSeen: false })))
})

describe("the age of the heartbeat", () => {
  const at = (raw: string | null, change: Partial<Sighting> = {}) =>
    exitOf(awaiting, { heartbeat: { raw, changedAt: undefined }, ...change })
  it("is older than 240 s by one millisecond, and not at exactly 240 s", () => {
    assert.isUndefined(at(ago(240)))
    assert.deepStrictEqual(at(ago(240.001)), { _tag: "Dead", cause: "heartbeat" })
  })
  it("is unknown for NULL, garbage and the future, and while comms is out", () => {
    for (const raw of [null, "", "yesterday", ago(-1)]) assert.isUndefined(at(raw), String(raw))
    assert.isUndefined(at(ago(9000), { comms: undefined }))
  })
  it("does not count the time before the launch", () => {
    assert.isUndefined(at(ago(9000), { notBefore: now - 240_000 }))
    assert.isDefined(at(ago(9000), { notBefore: now - 240_001 }))
  })
})

it("tells what a decision rests on", () => {
  assert.deepStrictEqual(
    evidenceOf({ ...healthy, process: undefined, comms: undefined, heartbeat: { raw: "soon", changedAt: undefined } }),
    {
      process: "unknown",
      conductorState: null,
      heartbeat: "soon",
      heartbeatAge: null,
      staleAfter: 240_000,
      signs: [],
      contextTokens: null
    }
  )
  assert.deepStrictEqual(evidenceOf(healthy), {
    process: "running",
    conductorState: "working",
    heartbeat: ago(10),
    heartbeatAge: 10_000,
    staleAfter: 240_000,
    signs: [],
    contextTokens: null
  })
})
