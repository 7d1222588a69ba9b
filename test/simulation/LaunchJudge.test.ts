import { assert, describe, it } from "@effect/vitest"
import type { LaunchOrder } from "@souffleur/domain"
import { type Life } from "./Life.ts"
import { minutes, Stage } from "../scenarios/ScenarioStage.ts"

/** The order of a launch that goes on with a session, or begins another. */
const order = (flag: "--resume" | "--session-id", sessionId: string, permission: string): LaunchOrder => ({
  id: "judged",
  cwd: "/",
  title: "judged",
  command: {
    program: "/usr/bin/claude",
    args: ["-p", flag, sessionId, "--permission-mode", permission, "--", "Go on."],
    environment: {}
  }
})

/** A Conductor in print mode ends, and souffleur has decided. Returns what the judge says of a launch then. */
const judged = (
  life: Partial<Life>,
  until: Parameters<Stage["until"]>[0],
  ...launch: [flag: "--resume" | "--session-id", permission: string]
) => {
  const stage = new Stage({ ...life, at: minutes(5), print: true })
  stage.souffleur()
  stage.until(until)
  stage.close()
  const [flag, permission] = launch
  stage.world.judge.started(order(flag, stage.watch.sessionId, permission))
  return stage.world.violations.join("; ")
}

describe("behaviour#what-no-launch-mends", () => {
  it("the judge sees a launch where none mends the end, and a conversation that is given up for it", () => {
    const mends = "a launch that mends nothing"
    const givenUp = "a conversation is given up for an end of the service's making"
    for (const fate of ["refused", "capped"] as const) {
      const stage = new Stage({ fate, at: minutes(5), print: true })
      stage.souffleur()
      stage.until("RecoveryWithheld")
      stage.pass(minutes(60)).close()
      assert.lengthOf(stage.launches, 0)
      stage.retry()
      stage.world.run(stage.world.timeline.monotonic + minutes(1), () => stage.watch.recovery !== undefined)
      stage.close()
      const { events } = stage.world.ledger
      const retried = events.findIndex(({ _tag }) => _tag === "RecoveryRetried")
      stage.world.judge.started(order("--session-id", stage.watch.sessionId, "acceptEdits"))
      assert.include(stage.world.violations.join("; "), givenUp)
      assert.notInclude(stage.world.violations.join("; "), mends)
      events.splice(retried, 1)
      stage.world.judge.started(order("--resume", stage.watch.sessionId, "acceptEdits"))
      assert.include(stage.world.violations.join("; "), mends)
    }
    for (const fate of ["limited", "outage", "odd"] as const)
      assert.include(judged({ fate }, "RecoveryStarted", "--session-id", "acceptEdits"), givenUp, fate)
    assert.notInclude(judged({ fate: "odd" }, "RecoveryStarted", "--resume", "acceptEdits"), givenUp)
  })
})

describe("behaviour#permission-ceiling", () => {
  it("the judge sees a launch above the mode of its session", () => {
    const above = "its session was in the mode"
    const life = { fate: "dies", mode: "plan" } as const
    assert.include(judged(life, "RecoveryStarted", "--resume", "acceptEdits"), above)
    assert.notInclude(judged(life, "RecoveryStarted", "--resume", "plan"), above)
    assert.notInclude(judged({ fate: "dies" }, "RecoveryStarted", "--resume", "acceptEdits"), above)
  })
})
