import { assert, describe, it } from "@effect/vitest"
import { minutes, seconds, Stage } from "./ScenarioStage.ts"

const turn = { fate: "turn ends", at: minutes(6), print: true } as const

describe("behaviour#print-mode", () => {
  it("a print-mode Conductor whose turn ends is resumed in the same session: a planned hand-off, no death", () => {
    const stage = new Stage({ ...turn, worksEvery: minutes(1) })
    stage.souffleur()
    stage.until("TurnEnded")
    // The probe brings the poll forward.
    assert.isAtMost(stage.world.timeline.monotonic - minutes(6), seconds(1))
    stage.until("ConductorRelaunched")
    const [words] = stage.launches
    assert.deepStrictEqual(words!.slice(words!.indexOf("--resume"), words!.indexOf("--resume") + 2), [
      "--resume",
      stage.watch.sessionId
    ])
    assert.strictEqual(words!.at(-1)!.split("\n")[0], "/conductor --recovery-bootstrap")
    assert.include(words!.at(-1), "Your last turn ended by itself")
    stage.pass(minutes(20)).close()
    assert.deepStrictEqual([stage.watch.generation, stage.watch.provider, stage.watch.retries], [2, "continue_turn", 0])
    assert.strictEqual(stage.world.ledger.count("ConductorDied"), 0)
    assert.strictEqual(stage.world.ledger.count("StepSucceeded"), 4)
  })
  it("an interactive Conductor that is quit, and a print-mode Conductor that is killed in its turn, died", () => {
    for (const life of [
      { ...turn, print: false },
      { ...turn, fate: "dies" }
    ] as const) {
      const stage = new Stage(life)
      stage.souffleur()
      stage.until("ConductorDied")
      stage.until("ConductorRelaunched")
      assert.strictEqual(stage.watch.provider, "claude_export")
      stage.pass(minutes(20)).close()
    }
  })
})

describe("behaviour#retries", () => {
  it("three ended turns without any change of a task exhaust the retries; a change sets the count to 0", () => {
    const idle = new Stage(turn, turn, turn, turn)
    idle.souffleur()
    idle.until("RetriesExhausted", minutes(60))
    idle.pass(minutes(20)).close()
    assert.strictEqual(idle.world.ledger.count("TurnEnded"), 3)
    assert.strictEqual(idle.world.ledger.count("ConductorRelaunched"), 2)
    assert.strictEqual(idle.world.comms.souffleur?.state, "error")

    const works = new Stage(turn, turn, { ...turn, worksEvery: minutes(2) }, turn)
    works.souffleur()
    works.until("ConductorRelaunched")
    works.until("ConductorRelaunched")
    works.until("TurnEnded")
    assert.strictEqual(works.watch.retries, 0)
    works.until("ConductorRelaunched")
    works.pass(minutes(3)).close()
  })
  it("two deaths, then productive turns, then one death: the watch goes on", () => {
    const works = { ...turn, worksEvery: minutes(2) }
    const stage = new Stage(
      { fate: "dies", at: minutes(6), print: true },
      { fate: "dies", at: minutes(6), print: true },
      works,
      works,
      { fate: "dies", at: minutes(6), print: true },
      { fate: "lives", worksEvery: minutes(1) }
    )
    stage.souffleur()
    for (const ended of ["ConductorDied", "ConductorDied", "TurnEnded", "TurnEnded", "ConductorDied"] as const) {
      stage.until(ended)
      stage.until("ConductorRelaunched")
    }
    assert.strictEqual(stage.watch.retries, 1)
    stage.pass(minutes(3)).close()
  })
})
