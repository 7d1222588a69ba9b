import { assert, describe, it } from "@effect/vitest"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

describe("behaviour#ends", () => {
  it("a Conductor that completes ends the watch", () => {
    const stage = new Stage({ fate: "completes", at: minutes(10), lasts: minutes(10) })
    const souffleur = stage.souffleur()
    stage.until("ConductorCompleted")
    stage.pass(minutes(30)).close()
    assert.strictEqual(souffleur.outcome, "ended")
    assert.strictEqual(stage.world.comms.souffleur?.state, "complete")
  })
})

describe("behaviour#exits", () => {
  it("a Conductor that completes and ends before the next poll has completed, and did not die", () => {
    const stage = new Stage({ fate: "completes", at: minutes(10), lasts: seconds(0) })
    stage.souffleur()
    stage.until("ConductorCompleted")
    stage.close()
    assert.strictEqual(stage.world.ledger.count("ConductorDied"), 0)
  })
})

describe("behaviour#completion", () => {
  it("a completion before the stop of a recovery cancels it: no signal and no launch", () => {
    const stage = new Stage({ fate: "hangs", at: minutes(5) })
    const { comms } = stage.world
    stage.souffleur({
      plan: () => {
        if (stage.world.ledger.count("RecoveryStarted") === 1) comms.write({ state: "complete" })
        return undefined
      }
    })
    stage.until("ConductorCompleted")
    stage.pass(minutes(5)).close()
    assert.strictEqual(stage.world.signals.length, 0)
  })

  it("a completion before the launch of a recovery cancels it: nothing is launched", () => {
    const stage = new Stage({ fate: "dies", at: minutes(5) })
    stage.souffleur({
      plan: (_, name) => {
        if (name === "agent.exportSession: end") stage.world.comms.write({ state: "complete" })
        return undefined
      }
    })
    stage.until("ConductorCompleted")
    stage.pass(minutes(5)).close()
    assert.strictEqual(stage.world.room.launches.size, 0)
  })
})

describe("behaviour#one-owner", () => {
  it("a live owner is never overtaken, but a dead owner is", () => {
    const stage = new Stage()
    const first = stage.souffleur()
    stage.pass(minutes(5))
    const second = stage.souffleur()
    stage.pass(minutes(5))
    assert.strictEqual(second.outcome, "already watched")
    assert.strictEqual(first.outcome, "running")
    first.kill()
    const [third, fourth] = [stage.souffleur(), stage.souffleur()]
    stage.pass(minutes(30)).close()
    // Two souffleurs race for the watch of a dead owner, and one gets it.
    assert.deepStrictEqual([third.outcome, fourth.outcome].toSorted(), ["already watched", "running"])
    assert.strictEqual(stage.watch.fence, 2)
  })
})

describe("behaviour#validation", () => {
  it("validation is corrected on the second try, and exhausted on the third", () => {
    const stage = new Stage()
    stage.world.comms.souffleur = undefined
    const souffleur = stage.souffleur()
    assert.strictEqual(stage.until("ValidationExhausted"), minutes(10))
    stage.pass(minutes(1)).close()
    assert.strictEqual(souffleur.outcome, "ended")
    assert.strictEqual(stage.watch.failures.length, 3)

    const corrected = new Stage()
    const right = corrected.world.conductor
    corrected.world.disk.files.delete(corrected.world.sessionFile(right.sessionId))
    corrected.souffleur()
    corrected.pass(seconds(40))
    assert.strictEqual(corrected.watch.failures.length, 1)
    corrected.world.disk.write(corrected.world.sessionFile("another"), "")
    right.process.session = "another"
    corrected.world.comms.say("person", "instruction", `PID:${right.process.identity.pid} SESSION_ID:another`)
    corrected.until("ConductorConfirmed")
    corrected.pass(minutes(10)).close()
    assert.strictEqual(corrected.watch.sessionId, "another")
    assert.strictEqual(corrected.world.comms.souffleur?.state, "confirmed")
  })
})
