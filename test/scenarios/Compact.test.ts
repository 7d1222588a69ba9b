import { assert, describe, it } from "@effect/vitest"
import { boundary, type Compaction, summary } from "../simulation/SimulatedCompaction.ts"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

const done: Compaction = { after: 3000, writes: true, ends: true }
const silent: Compaction = { after: minutes(60), writes: false, ends: false }

/**
 * A Conductor dies, and its export is over the threshold. Its compactions come in order, the last one again and again.
 */
const overThreshold = (...compactions: ReadonlyArray<Compaction>) => {
  const stage = new Stage({ fate: "dies", at: minutes(6), tools: 2 })
  stage.world.settings = { forceCompactThresholdTokens: 10 }
  stage.world.compactions = (number) => compactions[number - 1] ?? compactions.at(-1)!
  return stage
}

const steps = ({ world }: Stage) =>
  world.ledger.events.flatMap((event) =>
    event._tag === "StepSucceeded" ? [`${event.step}`] : event._tag === "StepFailed" ? [`${event.step} failed`] : []
  )

describe("behaviour#claude_export", () => {
  it("the export gate passes: a fresh session reads the export, nothing is compacted", () => {
    const stage = new Stage({ fate: "dies", at: minutes(6) })
    stage.souffleur()
    stage.until("ConductorRelaunched")
    assert.deepStrictEqual(steps(stage), ["1 stop", "2 export", "3 trim", "4 estimate", "5 prepare", "6 launch"])
    assert.strictEqual(stage.watch.provider, "claude_export")
    assert.include(stage.launches[0]!, "--session-id")
    assert.strictEqual(stage.world.compactSessions.length, 0)
    stage.pass(minutes(20)).close()
  })
})

describe("behaviour#standard_compact", () => {
  it("the gate fails: compacted with already_killed, the stop skipped and only that, the same session resumed", () => {
    const stage = overThreshold(done)
    stage.souffleur()
    stage.until("ConductorRelaunched")
    assert.deepStrictEqual(steps(stage), [
      "1 stop",
      "2 export",
      "3 trim",
      "4 estimate",
      "mark",
      "compact#1",
      "prepare to resume",
      "resume"
    ])
    const { sessionId } = stage.world.conductors[0]!
    assert.deepStrictEqual(
      stage.launches.map((words) => words[words.indexOf("--resume") + 1]),
      [sessionId, sessionId]
    )
    assert.strictEqual(stage.launches[0]!.at(-1), "/compact")
    const [escalation, ...others] = stage.world.ledger.events.filter(({ _tag }) => _tag === "RecoveryEscalated")
    assert.deepInclude(escalation, {
      from: "claude_export",
      to: "standard_compact",
      stage: "gate",
      alreadyKilled: true
    })
    assert.deepStrictEqual(others, [])
    assert.isTrue(stage.world.comms.messages.some(({ text }) => text.includes("The Conductor is stopped already")))
    assert.isFalse([...stage.world.disk.files.keys()].some((path) => path.startsWith("/state/exports/")))
    stage.pass(minutes(20)).close()
    assert.deepStrictEqual([stage.watch.generation, stage.watch.sessionId, stage.watch.awaiting], [2, sessionId, false])
  })

  it("an idle compact session is ended after its summary, or when the summary never comes", () => {
    for (const [summaryAfter, written] of [
      [seconds(3), true],
      [minutes(1), false]
    ] as const) {
      const stage = overThreshold({ after: 3000, writes: true, ends: false, summaryAfter })
      stage.souffleur()
      stage.until("ConductorRelaunched")
      const { sessionId } = stage.world.conductors[0]!
      assert.strictEqual(stage.world.disk.read(stage.world.sessionFile(sessionId))?.includes(summary), written)
      stage.pass(minutes(20)).close()
      assert.strictEqual(stage.watch.generation, 2)
    }
  })
  it("a compaction that times out is tried once more when its session is gone, and then succeeds", () => {
    const stage = overThreshold({ ...silent, onTerm: "never" }, done)
    stage.souffleur()
    stage.until("ConductorDied")
    // The tools' grace comes first. The first attempt with its grace takes 300 s, the second three seconds. The receipts
    // come on top.
    const took = stage.until("ConductorRelaunched")
    assert.isAtLeast(took, seconds(323))
    assert.isAtMost(took, seconds(327))
    assert.deepStrictEqual(steps(stage).slice(5), ["compact#1 failed", "compact#2", "prepare to resume", "resume"])
    stage.pass(minutes(20)).close()
    assert.strictEqual(stage.world.comms.souffleur?.state, "confirmed")
  })

  it("compactions that time out twice fail closed: row error, a diagnostic of stage and reason, no launch, no export", () => {
    const stage = overThreshold(silent)
    stage.souffleur()
    stage.until("RecoveryFailedClosed")
    stage.pass(minutes(60)).close()
    assert.strictEqual(stage.world.conductors.length, 1)
    assert.strictEqual(stage.world.compactSessions.length, 2)
    assert.strictEqual(stage.world.living.length, 0)
    assert.deepInclude(stage.watch.standby, { stage: "compact", message: "no boundary came in time" })
    const { lastError, state } = stage.world.comms.souffleur!
    assert.deepStrictEqual([state, lastError], ["error", "compact: no boundary came in time"])
    assert.isTrue(
      stage.world.comms.messages.some(
        ({ kind, text }) => kind === "error" && text.includes("compact: no boundary came in time")
      )
    )
    // One export, before the compaction, and discarded.
    assert.strictEqual(steps(stage).filter((name) => name === "2 export").length, 1)
    assert.isFalse([...stage.world.disk.files.keys()].some((path) => path.startsWith("/state/exports/")))
  })

  it("a boundary after the first attempt's last look counts for the second, while it runs or before", () => {
    const late = overThreshold({ ...silent, late: seconds(2) }, silent)
    late.souffleur()
    late.until("ConductorRelaunched")
    assert.strictEqual(late.world.compactSessions.length, 2)
    late.pass(minutes(20)).close()

    const between = overThreshold(silent)
    between.souffleur({
      plan: () => {
        const { conductor, disk, ledger } = between.world
        const file = between.world.sessionFile(conductor.sessionId)
        if (ledger.count("StepFailed") === 1 && !disk.read(file)!.includes(boundary))
          disk.write(file, `${disk.read(file)!}${boundary}\n`)
        return undefined
      }
    })
    between.until("ConductorRelaunched")
    assert.strictEqual(between.world.compactSessions.length, 1)
    between.pass(minutes(20)).close()
  })

  it("a compact session that cannot be ended is followed by no second session, and by no Conductor", () => {
    const stage = overThreshold({ ...silent, onTerm: "unkillable" })
    stage.souffleur()
    stage.until("RecoveryFailedClosed")
    stage.pass(minutes(60)).close()
    assert.strictEqual(stage.world.compactSessions.length, 1)
    assert.strictEqual(stage.world.conductors.length, 1)
    assert.include(stage.watch.standby?.message, "did not end")
  })
})

describe("behaviour#standby", () => {
  it("a leftover compact session is no returned Conductor, also when the clock is set forward", () => {
    const stage = overThreshold({ ...silent, onTerm: "unkillable" })
    stage.souffleur()
    stage.until("ConductorDied")
    // The last beat of the Conductor was written by a clock that was ahead.
    stage.world.comms.write({ lastHeartbeat: "2026-03-01 09:00:00" })
    stage.until("RecoveryFailedClosed")
    stage.pass(minutes(90)).close()
    assert.strictEqual(stage.world.ledger.count("ConductorAdopted"), 0)
  })
})
