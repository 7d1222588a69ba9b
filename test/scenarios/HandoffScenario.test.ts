import { assert, describe, it } from "@effect/vitest"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

describe("behaviour#exits", () => {
  it("a hand-off is a planned recovery, and no death", () => {
    const stage = new Stage({ fate: "handoff", at: minutes(6), lasts: minutes(60), worksEvery: seconds(50) })
    stage.souffleur()
    stage.until("ConductorRelaunched")
    assert.strictEqual(stage.world.ledger.count("ConductorDied"), 0)
    assert.strictEqual(stage.watch.retries, 0)
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.watch.generation, 2)
  })
})

describe("behaviour#raised-in-this-generation", () => {
  it("a hand-off is seen, however soon after the last one", () => {
    // The row still says context_recovery when S2 is launched. S2 works for two minutes and asks again.
    const stage = new Stage(
      { fate: "handoff", at: minutes(6), lasts: minutes(60) },
      { fate: "handoff", at: seconds(130), lasts: minutes(60) }
    )
    stage.souffleur()
    stage.until("ConductorRelaunched")
    stage.until("ConductorRelaunched")
    assert.strictEqual(stage.world.ledger.count("ContextRecoveryRequested"), 2)
    stage.pass(minutes(10)).close()
  })

  it("a hand-off after the session id was found is seen too", () => {
    const stage = new Stage(
      { fate: "handoff", at: minutes(6), lasts: minutes(60) },
      { fate: "handoff", at: seconds(330), lasts: minutes(60) }
    )
    stage.souffleur()
    stage.until("ConductorRelaunched")
    stage.until("SessionIdFound")
    stage.until("ConductorRelaunched")
    stage.pass(minutes(10)).close()
  })

  it("S2 still reads context_recovery and is not killed, also when comms is locked at the launch", () => {
    const stage = new Stage({ fate: "handoff", at: minutes(6), lasts: minutes(60) })
    stage.souffleur()
    stage.until("ContextRecoveryRequested")
    stage.world.comms.trouble = "locked"
    stage.until("ConductorRelaunched")
    // The successor's first words are lost on a locked database.
    stage.pass(seconds(90))
    stage.world.comms.trouble = undefined
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.world.comms.conductor?.state, "context_recovery")
    assert.isTrue(stage.world.conductor.isHealthy)
    assert.strictEqual(stage.watch.generation, 2)
  })
})
