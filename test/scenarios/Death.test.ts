import { assert, describe, it } from "@effect/vitest"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

describe("behaviour#claude_export", () => {
  it("a Conductor whose process dies is back as S2, with the export of its conversation", () => {
    const stage = new Stage({ fate: "dies", at: minutes(10), worksEvery: minutes(1), tools: 3 })
    stage.souffleur()
    stage.until("ConductorDied")
    // The probe brings the poll forward: no waiting for the minute.
    assert.isAtMost(stage.world.timeline.monotonic - minutes(10), seconds(1))
    stage.until("ConductorRelaunched")
    assert.strictEqual(stage.watch.generation, 2)
    const [launch] = [...stage.world.room.launches.values()]
    assert.strictEqual(launch!.order.title, "Conductor (S2)")
    assert.include(launch!.order.command.args.at(-1), "/state/exports/")
    assert.strictEqual(stage.world.processes.all.filter(({ belongsTo }) => belongsTo === 1).length, 0)
    stage.pass(minutes(20)).close()
  })
})

describe("behaviour#polls", () => {
  it("a Conductor that dies after its validation is found before the first poll is due", () => {
    const stage = new Stage({ fate: "dies", at: minutes(1) })
    stage.souffleur()
    stage.until("ConductorDied")
    assert.isAtMost(stage.world.timeline.monotonic - minutes(1), seconds(1))
    stage.until("ConductorRelaunched")
    stage.pass(minutes(20)).close()
  })
  it("polls come at 240 s, then each 60 s", () => {
    const stage = new Stage({ fate: "handoff", at: seconds(243), lasts: minutes(20) })
    stage.souffleur()
    // The request comes after the first poll. The second poll sees it, 300 s after the start.
    assert.strictEqual(stage.until("ContextRecoveryRequested"), seconds(300))
    stage.pass(minutes(10)).close()
  })
})

describe("behaviour#exits", () => {
  it("a zombie is dead", () => {
    const stage = new Stage({ fate: "zombie", at: minutes(7) })
    stage.souffleur()
    stage.until("ConductorRelaunched")
    stage.pass(minutes(20)).close()
  })
})

describe("behaviour#heartbeat-age", () => {
  it("a heartbeat of exactly 240 s is alive, an older one is dead", () => {
    const stage = new Stage({ fate: "hangs", at: seconds(1.5) })
    stage.world.comms.write({})
    stage.souffleur()
    // It is 240 s old at the poll of 240 s, and 300 s old at that of 300 s.
    assert.strictEqual(stage.until("ConductorDied"), seconds(300))
    stage.until("ConductorRelaunched")
    stage.pass(minutes(20)).close()
  })

  it("a Conductor that falls silent is back within the limits", () => {
    const stage = new Stage({ fate: "hangs", at: minutes(10) })
    stage.souffleur()
    stage.until("ConductorRelaunched")
    // A poll late to see the last beat, 240 s, a poll late to see that, and the launch.
    assert.isAtMost(stage.world.timeline.monotonic - minutes(10), seconds(60 + 240 + 60 + 15))
    stage.pass(minutes(20)).close()
  })
})

describe("behaviour#stop", () => {
  it("a Conductor that ignores SIGTERM is killed after the grace; an unkillable one gets no successor", () => {
    const stubborn = new Stage({ fate: "hangs", at: minutes(5), onTerm: "never" })
    stubborn.souffleur()
    stubborn.until("ConductorRelaunched")
    assert.deepStrictEqual(
      stubborn.world.signals.map(({ signal }) => signal),
      ["SIGTERM", "SIGKILL"]
    )
    stubborn.pass(minutes(20)).close()

    const unkillable = new Stage({ fate: "hangs", at: minutes(5), onTerm: "unkillable" })
    unkillable.souffleur()
    unkillable.until("RecoveryFailedClosed")
    unkillable.pass(minutes(60)).close()
    assert.strictEqual(unkillable.world.conductors.length, 1)
    assert.strictEqual(unkillable.watch.standby?.stage, "stop")
    assert.strictEqual(unkillable.world.comms.souffleur?.state, "error")
  })
})

describe("behaviour#retries", () => {
  it("three ends without progress: two launches, an export for a person, the row says error, and it ends", () => {
    const dies = { fate: "dies", at: minutes(6) } as const
    const stage = new Stage(dies, dies, dies, dies)
    const souffleur = stage.souffleur()
    stage.until("RetriesExhausted")
    stage.pass(minutes(60)).close()
    assert.strictEqual(stage.world.ledger.count("ConductorRelaunched"), 2)
    assert.strictEqual(stage.world.conductors.length, 3)
    assert.strictEqual(souffleur.outcome, "ended")
    assert.strictEqual(stage.world.comms.souffleur?.state, "error")
    assert.isTrue(stage.world.disk.files.has(stage.watch.lastExport!))
    assert.isTrue(
      stage.world.comms.messages.some(({ kind, text }) => kind === "error" && text.includes(stage.watch.lastExport!))
    )
  })

  it("three deaths with comms out at every launch: the successor is measured against the count at the death", () => {
    const dies = { fate: "dies", at: minutes(6) } as const
    const stage = new Stage({ ...dies, worksEvery: minutes(2) }, dies, dies, dies, dies, dies)
    const { comms } = stage.world
    stage.souffleur({
      plan: () => {
        comms.trouble = stage.watch.recovery === undefined ? undefined : "locked"
        return undefined
      }
    })
    stage.until("RetriesExhausted", minutes(120))
    comms.trouble = undefined
    stage.pass(minutes(10)).close()
    assert.deepStrictEqual(
      stage.world.ledger.events.flatMap((event) => (event._tag === "ConductorDied" ? [event.retries] : [])),
      [0, 1, 2, 3]
    )
  })

  it("progress between deaths restarts the count", () => {
    const dies = { fate: "dies", at: minutes(6) } as const
    const stage = new Stage(dies, { ...dies, worksEvery: minutes(2) }, dies, dies, dies)
    stage.souffleur()
    stage.until("RetriesExhausted", minutes(120))
    assert.deepStrictEqual(
      stage.world.ledger.events.flatMap((event) => (event._tag === "ConductorDied" ? [event.retries] : [])),
      [1, 0, 1, 2, 3]
    )
    stage.close()
  })
})

describe("behaviour#awaiting-a-session-id", () => {
  it("a successor that dies while its session id is awaited is replaced, and the next id is awaited", () => {
    const stage = new Stage({ fate: "dies", at: minutes(6) }, { fate: "dies", at: seconds(100) })
    stage.souffleur()
    stage.until("ConductorRelaunched")
    const second = stage.watch.sessionId
    assert.isTrue(stage.watch.awaiting)
    stage.until("ConductorDied")
    assert.strictEqual(stage.world.ledger.count("SessionIdFound"), 0)
    stage.until("ConductorRelaunched")
    assert.deepStrictEqual([stage.watch.awaiting, stage.watch.generation], [true, 3])
    assert.include(stage.launches.at(-1)!.at(-1)!, `the conversation of session ${second}`)
    stage.until("SessionIdFound")
    stage.pass(minutes(20)).close()
    assert.deepStrictEqual([stage.watch.awaiting, stage.watch.sessions.length], [false, 3])
  })
})
