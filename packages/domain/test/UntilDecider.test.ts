import { assert, describe, it } from "@effect/vitest"
import { Event, type WatcherExit, type WatchIntent } from "../src/index.ts"
import { at, evidence, given, started, watcher, watching } from "./Given.ts"

const reports = (
  exit: WatcherExit,
  { rounds = 5, ...more }: { rounds?: number | null; watcher?: number; tasks?: null } = {}
): WatchIntent => ({
  _tag: "ReportExit",
  watcher: 1,
  exit,
  tasks: { count: 2, fingerprint: "a" },
  evidence,
  ...(rounds === null ? {} : { rounds }),
  ...more
})
const complete = { _tag: "Complete" } as const
const unconfirmed = { _tag: "EndedEarly", reason: "unconfirmed", leftRunning: 0 } as const
const check = Event.CheckStarted.make({ at: 1000, cycle: 1 })
const looked = (code: number | null): WatchIntent => ({ _tag: "ConcludeCheck", cycle: 1, code, said: "2 failed\n" })
const no = Event.WorkChecked.make({ at, cycle: 1, code: 3, said: "2 failed\n" })
const solo = watching.map((event) => (event._tag === "WatchOpened" ? { ...event, comms: null } : event))

describe("behaviour#done-by-a-program", () => {
  it("an end that seems to be that of the work has the program look, where one is set, an agent's, without comms", () => {
    given(...solo)
      .when(reports(complete))
      .then(check)
    given(...solo)
      .when(reports(complete, { rounds: null }))
      .thenTags("ConductorCompleted")
    given(...watching)
      .when(reports(complete))
      .thenTags("ConductorCompleted")
    const changed = (change: Partial<typeof Event.WatchOpened.Type>) =>
      given(...solo.map((event) => (event._tag === "WatchOpened" ? { ...event, ...change } : event)))
    for (const change of [{ kind: "command" }, { observe: true }] as const)
      changed(change).when(reports(complete)).thenTags("ConductorCompleted")
  })

  it("its exit code 0 completes the watch; any other end, and a signal, has the next watcher see it", () => {
    const [, completed] = given(...solo, check)
      .when(looked(0))
      .thenTags("WorkChecked", "ConductorCompleted")
    assert.deepInclude(completed, { by: "program" })
    for (const code of [3, null])
      given(...solo, check)
        .when(looked(code))
        .thenTags("WorkChecked", "WatcherStarted")
    given(...solo, started(1))
      .when(looked(0))
      .thenRefused("not now")
  })

  it("the work goes on for so many rounds without progress, and then a person is asked", () => {
    const before = [...solo, check, no, watcher(2)]
    const next = given(...before).when(reports(unconfirmed, { watcher: 2 }))
    const [ended, recovery] = next.thenTags("EndedEarly", "RecoveryStarted")
    assert.deepInclude(ended, { reason: "unconfirmed" })
    assert.deepInclude(recovery, { purpose: "relaunch", trigger: "unconfirmed" })
    const [, withheld] = given(...before)
      .when(reports(unconfirmed, { watcher: 2, rounds: 1, tasks: null }))
      .thenTags("EndedEarly", "RecoveryWithheld", "WatcherStarted")
    assert.deepInclude(withheld, {
      stage: "unconfirmed",
      message: '"--until" has not ended with 0 in a round without progress: 2 failed'
    })
  })

  it("a person's go has the work go on, however many rounds were before", () => {
    const asked = Event.RecoveryWithheld.make({ at, cycle: 2, trigger: "unconfirmed", stage: "hold", message: "held" })
    const ended = Event.EndedEarly.make({
      at,
      watcher: 2,
      reason: "unconfirmed",
      leftRunning: 0,
      retries: 4,
      taskCount: 2,
      taskFingerprint: "a",
      evidence
    })
    const held = Event.HoldStarted.make({ at, byAgent: false })
    const [, recovery] = given(...solo, check, no, watcher(2), held, ended, asked, watcher(3))
      .when({ _tag: "Go" }, { _tag: "Operator" })
      .thenTags("HoldEnded", "RecoveryStarted")
    assert.deepInclude(recovery, { trigger: "unconfirmed", purpose: "relaunch" })
  })

  it("a hold lets the program look, and what it finds waits for go", () => {
    given(...solo, check)
      .when({ _tag: "Hold" }, { _tag: "Operator" })
      .thenTags("HoldStarted")
    const held = Event.HoldStarted.make({ at, byAgent: false })
    given(...solo, check, held, no, watcher(2))
      .when(reports(unconfirmed, { watcher: 2 }))
      .thenTags("EndedEarly", "RecoveryWithheld", "WatcherStarted")
  })

  it("retry asks a program again that could not be run", () => {
    const failed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "check", message: "none" })
    const [, again] = given(...solo, check, failed, watcher(2))
      .when({ _tag: "Retry" }, { _tag: "Operator" })
      .thenTags("RecoveryRetried", "CheckStarted")
    assert.deepInclude(again, { cycle: 2 })
  })
})
