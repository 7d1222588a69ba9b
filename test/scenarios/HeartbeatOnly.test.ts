import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import type { Life } from "../simulation/Life.ts"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

const to = "77777777-0000-4000-8000-000000000000"

/** S2 goes on in another session than its launch. Its holder is unknown, or known only later. */
const corrected = (heldAfter: number | undefined, then: Partial<Life> = {}) => {
  const stage = new Stage({ fate: "dies", at: minutes(6) }, { moves: { to, heldAfter }, ...then })
  stage.souffleur()
  stage.until("ConductorUnresolved", minutes(30))
  return stage
}
const warnings = ({ world }: Stage) =>
  world.comms.messages.filter(({ kind, text }) => kind === "warning" && text.includes(to)).length

describe("behaviour#modes", () => {
  it("a corrected session without a holder gives a warning and heartbeat-only mode, until a live process holds it", () => {
    const stage = corrected(minutes(20))
    stage.pass(seconds(30))
    assert.deepStrictEqual(
      [stage.watch.mode, stage.watch.conductor, stage.watch.sessionId, warnings(stage)],
      ["heartbeat-only", undefined, to, 1]
    )
    stage.until("ConductorResolved")
    assert.strictEqual(stage.watch.conductor?.pid, stage.world.conductor.process.identity.pid)
    stage.pass(minutes(30)).close()
    assert.deepStrictEqual([stage.watch.mode, stage.watch.generation, stage.world.signals.length], ["normal", 2, 0])
    // Its process counts again: gone, it is brought back from the session that was found.
    stage.world.processes.end(stage.world.conductor.process)
    assert.isAtMost(stage.until("ConductorRelaunched"), minutes(2))
    stage.pass(minutes(10)).close()
  })

  it("heartbeat-only, a Conductor that falls silent cannot be stopped: failed closed, until an operator adopts a process", () => {
    const stage = corrected(undefined, { fate: "hangs", at: minutes(15) })
    assert.isAtMost(stage.until("RecoveryFailedClosed"), minutes(20))
    assert.deepStrictEqual(
      [stage.watch.standby?.stage, stage.watch.standby?.message],
      ["stop", "the process of the Conductor is not known"]
    )
    assert.deepStrictEqual([stage.world.signals.length, stage.world.conductors.length], [0, 2])
    stage.world.processes.end(stage.world.conductor.process)
    stage.adopt(stage.world.resumeByHand(to))
    stage.pass(minutes(10)).close()
    assert.deepStrictEqual(
      [stage.watch.mode, stage.watch.standby, stage.world.comms.souffleur?.state],
      ["normal", undefined, "confirmed"]
    )
  })

  it("a watcher that hangs in heartbeat-only is replaced in the same mode, without another warning", () => {
    const stage = new Stage({ fate: "dies", at: minutes(6) }, { moves: { to, heldAfter: undefined } })
    /** The watcher that runs when the mode begins. */
    const hanging = () => (stage.watch.mode === "heartbeat-only" ? stage.watch.watcher?.watcher : undefined)
    let hung: number | undefined
    stage.souffleur({
      silent: (role) => {
        if (hung !== undefined || role !== `watcher/${hanging()}`) return undefined
        hung = hanging()
        return Duration.minutes(3)
      }
    })
    stage.until("ConductorUnresolved", minutes(30))
    assert.isAtMost(stage.until("WatcherLost", minutes(30)), minutes(40))
    stage.pass(minutes(15)).close()
    assert.isDefined(hung)
    assert.strictEqual(stage.watch.watcher?.watcher, hung! + 1)
    assert.deepStrictEqual([stage.watch.mode, warnings(stage), stage.world.signals.length], ["heartbeat-only", 1, 0])
  })

  it("heartbeat-only mode survives the end of souffleur", () => {
    const stage = corrected(undefined)
    const [first] = stage.souffleurs
    stage.pass(minutes(3))
    first!.kill()
    stage.pass(minutes(1))
    stage.souffleur()
    stage.pass(minutes(15)).close()
    assert.deepStrictEqual([stage.watch.mode, warnings(stage), stage.world.signals.length], ["heartbeat-only", 1, 0])
  })
})
