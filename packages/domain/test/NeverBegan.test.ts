import { assert, describe, it } from "@effect/vitest"
import { Event, hasWorked, neverBegan, type WatchEvent, type WatchIntent } from "../src/index.ts"
import {
  at,
  baseline,
  conductor,
  confirmed,
  evidence,
  given,
  monitor,
  opened,
  owned,
  settled,
  watcher
} from "./Given.ts"

const solo = { ...opened, comms: null }
const first = Event.LaunchPrepared.make({
  at,
  cycle: 0,
  launchId: "w-g1-launch-1",
  digest: "d",
  sessionId: "s1",
  requested: "acceptEdits",
  effective: "acceptEdits"
})
const running = [owned, confirmed, watcher(1), monitor(1), settled]
const ran = 700
const died = (signs: (typeof evidence)["signs"] | Event.Evidence["signs"] = [], retries = 1) =>
  Event.ConductorDied.make({
    at: at + ran,
    watcher: 1,
    reason: "pid",
    retries,
    taskCount: 2,
    taskFingerprint: "a",
    evidence: { ...evidence, signs }
  })
const started = (cycle: number) => Event.RecoveryStarted.make({ at, cycle, purpose: "relaunch", trigger: "pid" })
const relaunched = (provider: string) =>
  Event.ConductorRelaunched.make({
    at,
    cycle: 1,
    generation: 2,
    provider,
    launchId: "l1",
    conductor: { ...conductor, pid: 4712 },
    sessionId: "s1",
    awaiting: false,
    print: true,
    exportPath: null,
    ...baseline
  })
const said = (source: Event.Evidence["signs"][number]["source"]) => died([{ source, says: "", age: 0 }])

const begin: WatchIntent = { _tag: "StartStep", cycle: 1, step: "begin_again", kind: "launch" }
const [run, watched]: ReadonlyArray<ReadonlyArray<WatchEvent>> = [
  [solo, first, ...running],
  [solo, ...running]
]

describe("behaviour#begin_again", () => {
  describe("a first launch that never began", () => {
    it("it is made once more after a death without a sign, and its time is known", () => {
      for (const death of [died(), said("pid file"), said("processor")]) {
        const recovering = given(...run!, death, started(1))
        recovering.when(begin).thenTags("StepStarted")
        assert.strictEqual(recovering.watch.muteFor, ran)
      }
    })
    it("each sign of work forbids it", () => {
      for (const source of ["session file", "hook", "agent's beat"] as const)
        given(...run!, said(source), started(1))
          .when(begin)
          .thenRefused("never")
      given(...run!, died([], 0), started(1))
        .when(begin)
        .thenRefused("never")
    })
    it("a session that had a file began, although no sign of it is left", () => {
      const had = given(
        solo,
        first,
        owned,
        { ...confirmed, began: true },
        watcher(1),
        monitor(1),
        settled,
        died(),
        started(1)
      )
      had.when(begin).thenRefused("never")
      assert.isTrue(hasWorked(had.watch))
      const taken = Event.HandoffTaken.make({
        at,
        watcher: 1,
        launchId: "l1",
        generation: 2,
        takenAt: at,
        contextTokens: null,
        contextWindow: null
      })
      const again = given(...run!, died(), started(1), relaunched("begin_again"), taken, died([], 2)).watch
      assert.deepStrictEqual([neverBegan(again), hasWorked(again)], [false, true])
    })
    it("a launch of another is not made once more, nor is one of a command", () => {
      given(...watched!, died(), started(1))
        .when(begin)
        .thenRefused("never")
      given({ ...solo, kind: "command" }, first, ...running, died(), started(1))
        .when(begin)
        .thenRefused("never")
    })
    it("it goes on while each launch before was the first one, and a hand-over ends it", () => {
      const again = (provider: string) => given(...run!, died(), started(1), relaunched(provider), died([], 2))
      assert.isTrue(neverBegan(again("begin_again").watch))
      assert.isFalse(neverBegan(again("resume").watch))
      assert.isFalse(neverBegan(given(...run!, died(), started(1), relaunched("begin_again")).watch))
      const chosen = Event.AgentChosen.make({ at, from: "pi", agent: "codex" })
      assert.isFalse(neverBegan(given(...run!, died(), chosen).watch))
    })
    it("the third end without progress launches nothing, and another word may", () => {
      const third = given(...run!, died([], 3), Event.RecoveryStarted.make({ ...started(1), purpose: "export" }))
      third
        .when({
          ...begin,
          _tag: "PrepareLaunch",
          launchId: "l2",
          digest: "d",
          sessionId: "s1",
          requested: "acceptEdits",
          effective: "acceptEdits"
        } as WatchIntent)
        .thenRefused("never")
      given(...watched!, died(), started(1))
        .when({ ...begin, step: "6 launch" } as WatchIntent)
        .thenTags("StepStarted")
    })
  })
})
