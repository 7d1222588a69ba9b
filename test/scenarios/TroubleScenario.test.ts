import { assert, describe, it } from "@effect/vitest"
import { EventLog, type WatchIntent } from "@souffleur/domain"
import { command } from "@souffleur/supervisor"
import { Clock, Duration, Effect } from "effect"
import type { Life } from "../simulation/Life.ts"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

const hour = minutes(60)

/** Puts an event into the log before the self-monitor's own, which was on its way. */
const meanwhile = ({ world }: Stage, intent: WatchIntent): void => {
  const told = command(world.id, intent).pipe(
    Effect.provideService(EventLog, world.ledger.log),
    Effect.provideService(
      Clock.Clock,
      world.timeline.clock(() => false)
    )
  )
  Effect.runSync(told)
}
const watcherDead = { _tag: "ReportWatcherDead", monitor: 1, watcher: 1, beatAge: 350_000 } as const
const conductorDead: WatchIntent = {
  _tag: "ReportExit",
  watcher: 1,
  exit: { _tag: "Dead", reason: "pid" },
  tasks: null,
  evidence: {
    process: "gone",
    conductorState: null,
    heartbeat: null,
    heartbeatAge: null,
    staleAfter: 240_000,
    signs: [],
    contextTokens: null,
    turnFinished: false,
    end: null
  }
}

describe("behaviour#ordering", () => {
  it("a hung watcher is replaced before its self-monitor ends, and no process is killed", () => {
    const stage = new Stage()
    stage.souffleur({ silent: (role) => (role === "watcher/1" ? Duration.seconds(10) : undefined) })
    // Its last beat is that of the start. At the round of 360 s, the beat is older than 180 s.
    assert.strictEqual(stage.until("WatcherLost"), seconds(360))
    stage.pass(minutes(20)).close()
    const tags = stage.tags()
    assert.deepStrictEqual(tags.slice(tags.indexOf("WatcherLost")), [
      "WatcherLost",
      "WatcherStarted",
      "SelfMonitorStopped",
      "SelfMonitorStarted"
    ])
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
})

describe("behaviour#self-monitor", () => {
  it("a WATCHER_DEAD for a replaced watcher, or from before a recovery, is ignored", () => {
    for (const [said, lost] of [
      [watcherDead, 1],
      [conductorDead, 0]
    ] as const) {
      const stage = new Stage(said === conductorDead ? { fate: "dies", at: minutes(5) } : {})
      stage.souffleur({
        silent: (role) => (role === "watcher/1" ? Duration.seconds(10) : undefined),
        plan: (_, name) => {
          // The self-monitor has seen that the watcher runs, and looks at its beat.
          const { monitor, watcher } = stage.watch
          if (name === "beats.last" && watcher?.watcher === 1 && monitor !== undefined) meanwhile(stage, said)
          return undefined
        }
      })
      stage.until("WatcherStarted")
      stage.pass(minutes(30)).close()
      assert.strictEqual(stage.world.ledger.count("WatcherLost"), lost)
      assert.strictEqual(stage.world.ledger.count("RecoveryStarted"), 1 - lost)
      assert.isTrue(stage.world.conductor.isHealthy)
    }
  })

  it("a self-monitor that dies is replaced, and one after it replaces a watcher that hangs", () => {
    const stage = new Stage()
    stage.souffleur({
      silent: (role) =>
        role === "monitor/1" ? Duration.seconds(10) : role === "watcher/1" ? Duration.minutes(10) : undefined
    })
    stage.until("SelfMonitorStarted", hour)
    stage.until("WatcherLost", hour)
    stage.pass(minutes(20)).close()
  })
})

describe("behaviour#heartbeat-age", () => {
  it("a watcher that beats is not replaced when the clock is set back to before it was started", () => {
    const stage = new Stage()
    stage.souffleur()
    stage.pass(minutes(10) + seconds(5))
    stage.world.timeline.sleep(-hour)
    stage.pass(hour).close()
    assert.strictEqual(stage.world.ledger.count("WatcherLost"), 0)
  })
  it("eight hours of sleep, and a clock set back an hour and forth, kill no process", () => {
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

  it("an unreadable heartbeat is neither dead nor fresh", () => {
    const stage = new Stage()
    stage.souffleur()
    for (const raw of [null, "yesterday", "2040-01-01 00:00:00"]) {
      for (let second = 0; second < 900; second += 10) {
        stage.world.comms.conductor!.lastHeartbeat = raw
        stage.pass(seconds(10))
      }
    }
    stage.close()
    assert.strictEqual(stage.watch.generation, 1)
  })
})

/** The Conductor was given up, and went on while the recovery was broken off. The cycle closed without a signal. */
const closedOnItsReturn = (
  life: Partial<Life> = { fate: "pauses", at: seconds(1.5), lasts: minutes(6) },
  away = minutes(3)
): Stage => {
  const stage = new Stage(life)
  stage.souffleur({
    plan: (_, name) => (name === "processes.tree" && stage.tags().at(-1) === "StepStarted" ? "before" : undefined)
  })
  stage.until("StepStarted")
  stage.pass(away)
  stage.souffleur()
  assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 1)
  return stage
}

describe("behaviour#never", () => {
  it("a Conductor that goes on before a resumed recovery is not signalled, with any clock and without comms", () => {
    for (const trouble of ["none", "clock", "comms"] as const) {
      const stage = new Stage({ fate: "pauses", at: seconds(1.5), lasts: minutes(6) })
      stage.souffleur({
        plan: (_, name) => (name === "processes.tree" && stage.tags().at(-1) === "StepStarted" ? "before" : undefined)
      })
      stage.until("StepStarted")
      if (trouble === "clock") stage.world.timeline.sleep(-hour)
      stage.pass(minutes(3))
      if (trouble === "comms") stage.world.comms.trouble = "missing"
      stage.souffleur()
      stage.pass(minutes(10))
      stage.world.comms.trouble = undefined
      stage.pass(hour).close()
      assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 1)
      assert.strictEqual(stage.world.signals.length, 0)
      assert.isTrue(stage.world.conductor.isHealthy)
      // Its beats ended the standby.
      assert.deepStrictEqual([stage.watch.standby, stage.world.comms.souffleur?.state], [undefined, "confirmed"])
    }
  })
  it("a Conductor that beats again is not signalled by an operator's retry, even when comms is out", () => {
    for (const trouble of [undefined, "missing"] as const) {
      const stage = closedOnItsReturn()
      stage.world.comms.trouble = trouble
      stage.retry()
      stage.pass(seconds(30))
      assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 2)
      stage.world.comms.trouble = undefined
      stage.pass(minutes(20)).close()
      assert.strictEqual(stage.world.signals.length, 0)
      assert.isTrue(stage.world.conductor.isHealthy)
    }
  })

  it("a Conductor after a comms outage has time to beat before an operator's retry stops it", () => {
    for (const silent of [false, true]) {
      const stage = closedOnItsReturn()
      stage.world.comms.trouble = "locked"
      if (silent) stage.world.conductor.condition = "silent"
      stage.pass(minutes(10))
      stage.world.comms.trouble = undefined
      stage.retry()
      stage.pass(minutes(20)).close()
      assert.strictEqual(stage.world.signals.length > 0, silent)
      assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), silent ? 1 : 2)
      assert.isTrue(stage.world.conductor.isHealthy)
    }
  })

  it("a Conductor that goes on while souffleur is suspended before the first signal is not signalled", () => {
    for (const where of ["agent.sessions", "processes.tree", "processes.condition", "log.read", "comms.snapshot"]) {
      const stage = new Stage({ fate: "pauses", at: seconds(1.5), lasts: minutes(6) })
      let stands = false
      stage.souffleur({
        plan: (_, name) => {
          if (stands || name !== where || stage.tags().at(-1) !== "StepStarted") return undefined
          stands = true
          return { pausedFor: minutes(4) }
        }
      })
      stage.pass(minutes(20)).close()
      assert.deepStrictEqual([where, stands, stage.world.signals.length], [where, true, 0])
      assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 1)
      assert.isTrue(stage.world.conductor.isHealthy)
    }
  })

  it("an operator's adopt while souffleur is suspended before the first signal prevents the signal", () => {
    for (const where of ["processes.tree", "processes.condition", "log.read", "comms.snapshot"]) {
      const stage = new Stage({ fate: "handoff", at: minutes(6), lasts: minutes(60) })
      const stood: Array<string> = []
      stage.souffleur({
        plan: (_, name) => {
          // Each of them in turn: the last one is right before the signal.
          if (
            name !== where ||
            stage.tags().at(-1) !== "StepStarted" ||
            stage.world.ledger.watch.recovery?.steps["1 stop"] === undefined
          )
            return undefined
          stood.push(name)
          return { pausedFor: minutes(4) }
        }
      })
      stage.until("StepStarted", minutes(20))
      while (stood.length === 0 && stage.world.signals.length === 0) stage.pass(1)
      stage.pass(minutes(2))
      stage.adopt(stage.world.conductor)
      stage.pass(minutes(20)).close()
      assert.deepStrictEqual([where, stage.world.signals.length], [where, 0])
    }
  })

  it("a Conductor that souffleur cannot check without a break is not stopped", () => {
    const stage = new Stage({ fate: "hangs", at: seconds(1.5) })
    let stood = 0
    stage.souffleur({
      plan: (_, name) =>
        name === "comms.snapshot" && stage.tags().at(-1) === "StepStarted" && stood++ < 3
          ? { pausedFor: seconds(11) }
          : undefined
    })
    stage.until("RecoveryFailedClosed")
    assert.deepStrictEqual([stood, stage.world.signals.length], [3, 0])
  })
  it("a Conductor that goes on after an outage is not signalled by an operator's retry that comes before its next word", () => {
    const stage = closedOnItsReturn({ fate: "outage", at: seconds(6), lasts: minutes(6) }, minutes(2))
    stage.retry()
    stage.pass(seconds(5))
    assert.strictEqual(stage.world.ledger.count("RecoveryFailedClosed"), 2)
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.world.signals.length, 0)
    assert.isTrue(stage.world.conductor.isHealthy)
  })

  it("an endless outage of the service or of comms adds a bounded number of events an hour", () => {
    const out = { fate: "outage", at: seconds(3), lasts: 1, answersAfter: Infinity } as const
    for (const trouble of ["service", "comms"] as const) {
      const stage = new Stage(...(trouble === "service" ? Array.from({ length: 60 }, () => out) : []))
      stage.souffleur()
      stage.pass(2 * hour)
      if (trouble === "comms") stage.world.comms.trouble = "missing"
      for (let nth = 0; nth < 4; nth++) {
        const [events, launches] = [stage.tags().length, stage.launches.length]
        stage.pass(hour)
        assert.isAtMost(stage.tags().length - events, 100)
        assert.isAtMost(stage.launches.length - launches, 4)
      }
      stage.world.comms.trouble = undefined
      stage.close()
      assert.strictEqual(stage.watch.phase, "Watching")
    }
  })
  it("a machine that is suspended for ten minutes kills no process", () => {
    const stage = new Stage()
    stage.souffleur()
    stage.pass(minutes(7))
    stage.world.timeline.starve(minutes(10))
    stage.pass(hour).close()
    assert.strictEqual(stage.watch.generation, 1)
  })
})

describe("behaviour#outbox", () => {
  it("comms that was locked for an hour kills no process, and gets every missed message", () => {
    const stage = new Stage({ fate: "dies", at: minutes(30) })
    stage.souffleur()
    stage.pass(minutes(10))
    stage.world.comms.trouble = "locked"
    stage.pass(hour)
    assert.strictEqual(stage.watch.generation, 2)
    assert.strictEqual(stage.world.comms.messages.length, 0)
    stage.world.comms.trouble = undefined
    stage.pass(hour).close()
    assert.strictEqual(stage.watch.generation, 2)
    assert.strictEqual(stage.world.comms.messages.length, 2)
    assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
    assert.strictEqual(stage.world.signals.length, 0)
  })
})

describe("behaviour#one-writer", () => {
  it("a second writer of this or an earlier session prevents the launch", () => {
    for (const generations of [1, 2]) {
      const dies = { fate: "dies", at: minutes(6) } as const
      const stage = new Stage(dies, dies)
      stage.souffleur()
      if (generations === 2) stage.until("ConductorRelaunched")
      stage.pass(minutes(5))
      const other = stage.world.processes.start({ name: "claude", session: stage.world.conductors[0]!.sessionId })
      stage.until("RecoveryFailedClosed")
      stage.pass(hour).close()
      assert.strictEqual(stage.watch.standby?.stage, "one writer")
      assert.isTrue(stage.world.processes.isAlive(other))
      assert.strictEqual(stage.world.conductors.length, generations)
    }
  })
})

describe("behaviour#launch-at-most-once", () => {
  it("a slow launcher is waited for; a lost or too slow one is cancelled for ever", () => {
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
})
