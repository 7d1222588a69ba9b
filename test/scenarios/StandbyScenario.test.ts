import { assert, describe, it } from "@effect/vitest"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

/** A dead Conductor and a lost launcher: nothing runs, and the watch is in standby. */
const standingBy = () => {
  const stage = new Stage({ fate: "dies", at: minutes(6) })
  stage.world.room.pace = () => "lost"
  stage.souffleur()
  stage.until("RecoveryFailedClosed")
  stage.world.room.pace = () => 300
  stage.pass(minutes(30))
  assert.strictEqual(stage.world.comms.souffleur?.state, "error")
  assert.strictEqual(stage.world.living.length, 0)
  return stage
}

describe("behaviour#standby", () => {
  it("standby ends by an operator's retry: another cycle, and the row is confirmed again", () => {
    const stage = standingBy()
    stage.retry()
    stage.until("ConductorRelaunched")
    stage.pass(minutes(20)).close()
    assert.deepStrictEqual([stage.watch.cycles, stage.watch.generation, stage.watch.standby], [2, 2, undefined])
    assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
  })

  it("a retry that fails closed again returns to standby", () => {
    const stage = standingBy()
    stage.world.room.pace = () => "lost"
    stage.retry()
    stage.until("RecoveryFailedClosed")
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.watch.standby?.cycle, 2)
    assert.strictEqual(stage.world.comms.souffleur?.state, "error")
  })
  it("standby ends by an operator's adopt: that process is watched, and the row is confirmed again", () => {
    const stage = standingBy()
    const conductor = stage.world.resumeByHand("by-hand")
    stage.pass(seconds(5))
    stage.adopt(conductor)
    stage.pass(minutes(10))
    assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
    assert.deepStrictEqual(
      [stage.watch.standby, stage.watch.pid, stage.watch.retries],
      [undefined, conductor.process.identity.pid, 0]
    )
    // It is watched like any other.
    stage.world.processes.end(conductor.process)
    stage.until("ConductorRelaunched")
    stage.pass(minutes(20)).close()
  })

  it("standby ends by the Conductor's own heartbeat, with a live process that holds the session; the row is confirmed again", () => {
    const stage = standingBy()
    const conductor = stage.world.resumeByHand()
    assert.isAtMost(stage.until("ConductorAdopted"), minutes(3))
    stage.pass(minutes(10)).close()
    assert.strictEqual(stage.watch.pid, conductor.process.identity.pid)
    assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
    assert.strictEqual(stage.world.signals.length, 0)
  })

  it("a heartbeat without a process, and a process without a heartbeat, end no standby", () => {
    const beats = standingBy()
    for (let minute = 0; minute < 10; minute++) {
      beats.world.comms.write({})
      beats.pass(minutes(1))
    }
    beats.close()
    const holds = standingBy()
    holds.world.processes.start({ name: "claude", session: holds.watch.sessionId })
    holds.pass(minutes(10)).close()
    for (const { watch } of [beats, holds]) assert.isDefined(watch.standby)
  })
})

describe("behaviour#adopt", () => {
  it("an adopt ends a recovery at any point: nothing is launched", () => {
    for (const [pace, after] of [
      [300, 0],
      [seconds(5), seconds(1)],
      [seconds(5), seconds(4)]
    ] as const) {
      const stage = new Stage({ fate: "hangs", at: minutes(5), onTerm: seconds(3) })
      stage.world.room.pace = () => pace
      stage.souffleur()
      stage.until(after === 0 ? "StepStarted" : "LaunchPrepared")
      stage.pass(after)
      // Another Conductor of the same work, in a session of its own.
      stage.adopt(stage.world.resumeByHand("by-hand"))
      stage.pass(minutes(30)).close()
      assert.strictEqual(stage.world.conductors.length, 2)
      assert.strictEqual(stage.world.ledger.count("ConductorRelaunched"), 0)
      assert.deepStrictEqual([stage.watch.recovery, stage.watch.sessionId], [undefined, "by-hand"])
      assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
    }
  })

  it("a launch of a dead souffleur becomes no Conductor once another process was adopted", () => {
    const stage = new Stage({ fate: "dies", at: minutes(5) })
    stage.world.room.pace = () => seconds(10)
    stage.souffleur({ plan: (_, name) => (name === "launcher.launch: receipt" ? "after" : undefined) })
    stage.until("LaunchPrepared")
    stage.pass(seconds(1))
    stage.adopt(stage.world.resumeByHand("by-hand"))
    stage.pass(minutes(2))
    stage.souffleur()
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.world.conductors.length, 2)
  })
})
