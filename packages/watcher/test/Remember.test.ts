import { assert, describe, it } from "@effect/vitest"
import { type CommsSnapshot, initial, type Signs, type TurnState, type Watch } from "@souffleur/domain"
import { Option } from "effect"
import { firstMemory, type Memory, type PollReading, remember, rememberOutage, rememberState } from "../src/index.ts"

const begun = Date.UTC(2026, 0, 5, 12, 0, 0)
const stallAfter = 361_000
/** A second of the watch, on both clocks. */
const at = (second: number) => ({ wall: begun + second * 1000, monotonic: second * 1000 })
const watch: Watch = {
  ...initial,
  phase: "Watching",
  watcher: { watcher: 1, since: begun },
  launchedAt: begun - 60_000
}
const comms = (state: string | null, lastHeartbeat: string | null = null): CommsSnapshot => ({
  conductor: state === null ? Option.none() : Option.some({ state, lastHeartbeat, sessionId: null }),
  souffleur: Option.none(),
  taskCount: 2,
  taskFingerprint: "a",
  lastMessageId: 0
})
const session = (turn: TurnState): Partial<Signs> => ({ session: { writtenAt: turn.at, turn, context: undefined } })
const tool = (second: number) =>
  session({ _tag: "Tool", at: at(second).wall, name: "Bash", limit: 600_000, spawns: false })
const asked = (second: number) => session({ _tag: "Asked", at: at(second).wall })
const awaited: Partial<Signs> = { pidFile: { status: "waiting", waitingFor: "a permission", writtenAt: begun } }

/** A poll at that second, of a Conductor that runs. */
const reading = (second: number, signs: Partial<Signs> = {}, change: Partial<PollReading> = {}): PollReading => ({
  begun: at(second),
  ended: at(second),
  due: 60_000,
  comms: comms("working"),
  processorTime: undefined,
  signs: {
    now: at(second).wall,
    process: "running",
    turnEnded: false,
    children: undefined,
    session: undefined,
    pidFile: undefined,
    hook: undefined,
    beat: undefined,
    ...signs
  },
  ...change
})
const first: Memory = firstMemory(watch, comms("working"), at(0), 60_000)
/** Returns the result of the last of these readings. */
const after = (...readings: ReadonlyArray<PollReading>) => {
  const [last, ...before] = readings.toReversed()
  return remember(
    before.reduceRight((memory, read) => remember(memory, read, stallAfter).memory, first),
    last!,
    stallAfter
  )
}

describe("given the first memory", () => {
  it("when the watcher starts, then a sign counts from the launch on", () =>
    assert.strictEqual(first.notBefore, watch.launchedAt))
  it("when it starts long after its event, then a sign counts from now on", () =>
    assert.strictEqual(firstMemory(watch, undefined, at(61), 60_000).notBefore, at(61).wall))
  it("when the launch is ahead of the clock, then a sign counts from now on", () =>
    assert.strictEqual(firstMemory({ ...watch, launchedAt: at(900).wall }, undefined, at(0), 60_000).notBefore, begun))
})

describe("given polls in time", () => {
  it("when a heartbeat changes, then the change is dated by the poll that saw it", () => {
    assert.deepStrictEqual(after(reading(60, {}, { comms: comms("working", "b") })).memory.heartbeat, {
      raw: "b",
      changedAt: at(60).wall
    })
    assert.deepStrictEqual(after(reading(60)).memory.heartbeat, { raw: null, changedAt: undefined })
  })
  it("when the processor time stays, then the process is still since the poll that read it first", () => {
    const still = (...used: ReadonlyArray<number>) =>
      after(...used.map((processorTime, n) => reading((n + 1) * 60, {}, { processorTime }))).signs.stillSince
    assert.strictEqual(still(7, 7, 7), at(60).wall)
    assert.strictEqual(still(7, 7, 8), at(180).wall)
  })
  it("when timers alone use the processor, then the process rests since the poll that saw it first", () => {
    const rests = (...used: ReadonlyArray<number>) =>
      after(...used.map((processorTime, n) => reading((n + 1) * 60, {}, { processorTime }))).signs.restsSince
    assert.strictEqual(rests(7, 8, 9), at(60).wall)
    assert.strictEqual(rests(7, 37, 67), at(60).wall)
    assert.strictEqual(rests(7, 7, 38), at(180).wall, "a burst")
  })
  it("when the processes of a tool use the processor, then they worked at that poll", () => {
    const process = (pid: number, processor: number) => ({
      identity: { pid, startTime: 9, bootId: "boot" },
      parent: 70,
      uid: 1000,
      name: "cc",
      condition: "running" as const,
      processor
    })
    const worked = (...trees: ReadonlyArray<PollReading["tree"]>) =>
      after(...trees.map((tree, n) => reading((n + 1) * 60, tool(1), { tree }))).signs.workedAt
    // What was used before the first look may have been used just then.
    assert.strictEqual(worked([process(1, 90)]), at(60).wall)
    assert.strictEqual(worked([process(1, 0)], [process(1, 30)]), at(120).wall)
    assert.strictEqual(worked([process(1, 90)], [process(2, 30)]), at(120).wall)
    // A server that waits uses it, too: 290 ms in a minute are no work.
    assert.strictEqual(worked([process(1, 90)], [process(1, 119)], [process(1, 119)]), at(60).wall)
    assert.isUndefined(worked([process(1, 90)], undefined))
    assert.isUndefined(worked([process(1, 0)], []))
  })
  it("when comms is out, then the heartbeat stays as it was seen", () => {
    const { heartbeat, commsOut } = after(
      reading(60, {}, { comms: comms("working", "b") }),
      reading(120, {}, { comms: undefined })
    ).memory
    assert.deepStrictEqual([heartbeat?.raw, commsOut], ["b", true])
  })
})

describe("given a break in polling", () => {
  const begins = (last: PollReading, ...before: ReadonlyArray<PollReading>) => after(...before, last).memory.notBefore
  it("when a poll comes later than twice its time, then signs count from its end on", () => {
    assert.strictEqual(begins(reading(120)), watch.launchedAt)
    assert.strictEqual(begins(reading(121)), at(121).wall)
  })
  it("when the wall clock jumps, then signs count from then on", () => {
    const jumped = { wall: at(60).wall + 900_000, monotonic: 60_000 }
    assert.strictEqual(begins(reading(60, {}, { begun: jumped, ended: jumped })), jumped.wall)
  })
  it("when a poll is interrupted, then signs count from its end on", () =>
    assert.strictEqual(begins(reading(60, {}, { ended: at(71) })), at(71).wall))
  it("when comms is back, or did not take a beat, then signs count from then on", () => {
    assert.strictEqual(begins(reading(120), reading(60, {}, { comms: undefined })), at(120).wall)
    assert.strictEqual(remember(rememberOutage(first), reading(60), stallAfter).memory.notBefore, at(60).wall)
  })
})

describe("given an excuse", () => {
  it("when the turn goes on after the tool, then the Conductor has the whole time again", () => {
    assert.isDefined(after(reading(60, tool(50))).excuse)
    assert.strictEqual(after(reading(60, tool(50)), reading(120, tool(50))).memory.notBefore, watch.launchedAt)
    assert.strictEqual(after(reading(60, tool(50)), reading(120, asked(100))).memory.notBefore, at(120).wall)
  })
  it("when a person has answered, then it has the whole time again, though no record says so", () => {
    const { memory } = after(reading(60, awaited), reading(120))
    assert.deepStrictEqual([memory.notBefore, memory.answeredAt], [at(120).wall, at(120).wall])
  })
  it("when the time was given, then it is not given twice", () =>
    assert.strictEqual(
      after(reading(60, tool(50)), reading(120, asked(100)), reading(180, asked(170))).memory.notBefore,
      at(120).wall
    ))
})

describe("given a request", () => {
  const seen = (state: string | null) => after(reading(60, {}, { comms: comms(state) })).memory.otherStateSeen
  const fresh = firstMemory(watch, comms("context_recovery"), at(0), 60_000)
  it("when another state is seen at a poll or between polls, then a later request is of this generation", () => {
    assert.isTrue(seen("working"))
    assert.isTrue(rememberState(fresh, comms("working")).otherStateSeen)
  })
  it("when no other state is known, then it may be left over", () => {
    assert.isFalse(fresh.otherStateSeen)
    for (const state of [comms("context_recovery"), comms(null), undefined])
      assert.isFalse(rememberState(fresh, state).otherStateSeen)
  })
})
