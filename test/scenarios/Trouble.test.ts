import { assert, it } from "@effect/vitest"
import { Duration } from "effect"
import { minutes, seconds, Stage } from "./Stage.ts"

const hour = minutes(60)

it("a watcher that hangs without a word is replaced by the self-monitor, and nobody is killed", () => {
  const stage = new Stage()
  stage.souffleur({ silent: (role) => (role === "watcher/1" ? Duration.seconds(10) : undefined) })
  // Its last beat is that of the start: at the round of 360 s it is older than 180 s.
  assert.strictEqual(stage.until("WatcherLost"), seconds(360))
  stage.pass(minutes(20)).close()
  assert.strictEqual(stage.watch.watcher?.watcher, 2)
  assert.strictEqual(stage.watch.monitor?.watcher, 2)
  assert.strictEqual(stage.world.signals.length, 0)
})

it("a watcher that hangs is replaced though the clock is set back an hour right after", () => {
  const stage = new Stage()
  stage.souffleur({ silent: (role) => (role === "watcher/1" ? Duration.minutes(10) : undefined) })
  stage.pass(minutes(10) + seconds(5))
  stage.world.timeline.sleep(-hour)
  assert.isAtMost(stage.until("WatcherLost"), minutes(12))
  stage.pass(minutes(20)).close()
})

it("a Conductor that goes on before an abandoned recovery is resumed is not signalled", () => {
  const stage = new Stage({ fate: "pauses", at: seconds(1.5), lasts: minutes(6) })
  stage.souffleur({ plan: (_, name) => (name === "processes.tree" ? "before" : undefined) })
  stage.until("StepStarted")
  stage.pass(minutes(3))
  stage.souffleur()
  stage.pass(hour).close()
  assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 1)
  assert.strictEqual(stage.world.signals.length, 0)
  assert.isTrue(stage.world.conductor.isHealthy)
})

it("a self-monitor that dies is replaced, and one after it replaces a watcher that hangs", () => {
  const stage = new Stage()
  stage.souffleur({
    silent: (role) => (role === "monitor/1" ? Duration.seconds(10) : role === "watcher/1" ? Duration.minutes(10) : undefined)
  })
  stage.until("SelfMonitorStarted", hour)
  stage.until("WatcherLost", hour)
  stage.pass(minutes(20)).close()
})

it("comms locked for an hour and back: nobody is killed, and what it was not told it is told", () => {
  const stage = new Stage({ fate: "dies", at: minutes(30) })
  stage.souffleur()
  stage.pass(minutes(10))
  stage.world.board.trouble = "locked"
  stage.pass(hour)
  assert.strictEqual(stage.watch.generation, 2)
  assert.strictEqual(stage.world.board.messages.length, 0)
  stage.world.board.trouble = undefined
  stage.pass(hour).close()
  assert.strictEqual(stage.watch.generation, 2)
  assert.strictEqual(stage.world.board.messages.length, 2)
  assert.strictEqual(stage.world.board.souffleur?.state, "confirmed")
})

it("eight hours of sleep, and a clock set back and forth, kill nobody", () => {
  const stage = new Stage()
  stage.souffleur()
  for (const jump of [8 * hour, -hour, hour, -minutes(5), minutes(5)]) {
    stage.pass(minutes(7) + seconds(13))
    stage.world.timeline.sleep(jump)
  }
  stage.pass(hour).close()
  assert.strictEqual(stage.world.signals.length, 0)
  assert.strictEqual(stage.watch.generation, 1)
  assert.strictEqual(stage.world.ledger.count("WatcherLost"), 0)
})

it("a machine that stands still for ten minutes kills nobody", () => {
  const stage = new Stage()
  stage.souffleur()
  stage.pass(minutes(7))
  stage.world.timeline.starve(minutes(10))
  stage.pass(hour).close()
  assert.strictEqual(stage.watch.generation, 1)
})

it("a heartbeat that nobody can read is neither dead nor fresh", () => {
  const stage = new Stage()
  stage.souffleur()
  for (const raw of [null, "yesterday", "2040-01-01 00:00:00"]) {
    for (let second = 0; second < 900; second += 10) {
      stage.world.board.conductor!.lastHeartbeat = raw
      stage.pass(seconds(10))
    }
  }
  stage.close()
  assert.strictEqual(stage.watch.generation, 1)
})

it("somebody else holds the session: no launch", () => {
  const stage = new Stage({ fate: "dies", at: minutes(6) })
  stage.souffleur()
  stage.pass(minutes(3))
  const other = stage.world.processes.start({ name: "claude", session: stage.watch.sessionId })
  stage.until("RecoveryFailedClosed")
  stage.pass(hour).close()
  assert.strictEqual(stage.watch.standby?.stage, "one writer")
  assert.isTrue(stage.world.processes.isAlive(other))
  assert.strictEqual(stage.world.conductors.length, 1)
})

it("an export over the threshold is compacted; no boundary, twice, fails closed, and completion is honoured in standby", () => {
  const stage = new Stage({ fate: "dies", at: minutes(6) })
  stage.world.compactions = () => ({ after: 2000, writes: false, ends: true })
  const souffleur = stage.souffleur({ settings: { forceCompactThresholdTokens: 10 } })
  stage.until("RecoveryFailedClosed")
  stage.pass(hour)
  assert.strictEqual(stage.watch.standby?.stage, "compact")
  assert.strictEqual(stage.world.room.launches.size, 2)
  assert.isFalse([...stage.world.disk.files.keys()].some((path) => path.startsWith("/state/exports/")))
  assert.strictEqual(stage.world.board.souffleur?.state, "error")
  stage.world.board.write({ state: "complete" })
  stage.until("ConductorCompleted")
  stage.pass(minutes(5)).close()
  assert.strictEqual(souffleur.outcome, "ended")
})

it("a launcher that is slow is waited for; one that is lost or too slow is cancelled for ever", () => {
  for (const pace of [minutes(1), "lost"] as const) {
    const stage = new Stage({ fate: "dies", at: minutes(6) })
    stage.world.room.pace = () => pace
    stage.souffleur()
    stage.until("RecoveryFailedClosed")
    stage.pass(hour).close()
    assert.strictEqual(stage.world.conductors.length, 1)
    assert.strictEqual(stage.watch.standby?.stage, "launch")
  }
  const slow = new Stage({ fate: "dies", at: minutes(6) })
  slow.world.room.pace = () => seconds(14)
  slow.souffleur()
  slow.until("ConductorRelaunched")
  slow.pass(minutes(20)).close()
})

it("no launch is above the ceiling", () => {
  const stage = new Stage({ fate: "dies", at: minutes(6) })
  stage.souffleur()
  stage.until("ConductorRelaunched")
  for (const { order } of stage.world.room.launches.values()) {
    assert.strictEqual(order.command.args[order.command.args.indexOf("--permission-mode") + 1], "acceptEdits")
  }
  stage.close()
})
