import { assert, describe, it } from "@effect/vitest"
import { Event, evolve, initial, type Recorded, type WatchEvent } from "@souffleur/domain"
import type { RunEvent } from "@souffleur/plan"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { examples as runExamples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { runTimeline } from "../src/timeline/RunTimeline.ts"
import { foldedScale, quietOf } from "../src/timeline/Stretch.ts"
import { watchTimeline } from "../src/timeline/WatchTimeline.ts"

const given = <E>(...events: ReadonlyArray<E>) =>
  events.map((event, n) => ({ stream: "w", position: n + 1, revision: n + 1, event }))
const at = <E extends { readonly at: number }>(at: number, event: E): E => ({ ...event, at })
const { ConductorConfirmed, ConductorDied, ConductorRelaunched, HandoffTaken, StepStarted, StepSucceeded } = examples
const started = Event.RecoveryStarted.make({ at: 0, cycle: 1, purpose: "relaunch", trigger: "pid" })
const step = (time: number, attempt: number) => at(time, { ...StepStarted, step: "trim", attempt })
const opened: ReadonlyArray<WatchEvent> = [at(1000, examples.WatchOpened), at(2000, ConductorConfirmed)]
const died = at(5000, { ...ConductorDied, reason: "pid" as const })
const relaunched = at(8000, { ...ConductorRelaunched, generation: 2, provider: "resume" })

describe("command-line#timeline", () => {
  it("a recovery is told from its death to the taken hand-off, with each attempt of its steps, though souffleur was killed", () => {
    const events: ReadonlyArray<Recorded> = given(
      ...opened,
      died,
      at(5500, started),
      step(6000, 1),
      at(7000, examples.OwnerTook),
      step(7100, 2),
      at(7500, { ...StepSucceeded, step: "trim" }),
      relaunched,
      at(60_000, { ...HandoffTaken, takenAt: 9000, contextTokens: 484 })
    )
    const { deaths, from, generations, over, recoveries, to } = watchTimeline(events, 70_000)
    assert.deepStrictEqual([from, to, over], [1000, 70_000, false])
    assert.deepStrictEqual(generations, [
      { generation: 1, from: 2000, to: 5000, revision: 2, ended: "pid" },
      { generation: 2, from: 8000, to: null, revision: 9, ended: null }
    ])
    assert.deepInclude(deaths[0], { at: 5000, revision: 3, generation: 1, cause: "pid" })
    assert.deepStrictEqual(recoveries, [
      {
        cycle: 1,
        revision: 4,
        trigger: "pid",
        from: 5000,
        to: 9000,
        outcome: "taken",
        provider: "resume",
        launchedAt: 8000,
        takenOver: [7000],
        steps: [
          { step: "trim", attempt: 1, from: 6000, to: 7100, outcome: "lost" },
          { step: "trim", attempt: 2, from: 7100, to: 7500, outcome: "done" }
        ],
        contextTokens: 484
      }
    ])
  })

  it("the timeline of a part begins with what goes on there, and knows no more", () => {
    const events: ReadonlyArray<Recorded> = given(
      ...opened,
      died,
      at(5500, started),
      relaunched,
      at(9000, { ...HandoffTaken, takenAt: 9000 }),
      at(9100, examples.PersonAwaited),
      at(9200, examples.OwnerTook),
      at(9300, died)
    )
    const part = (after: number) => {
      const before = events.slice(0, after).reduce((watch, { event }) => evolve(watch, event), initial)
      return watchTimeline(events.slice(after), 20_000, before)
    }
    assert.deepStrictEqual(part(0), watchTimeline(events, 20_000))
    const { deaths, from, generations, recoveries, waits } = part(6)
    assert.strictEqual(from, 9100)
    assert.deepStrictEqual(
      generations.map(({ from, generation, to }) => [generation, from, to]),
      [[2, 9100, 9300]]
    )
    assert.deepStrictEqual([deaths.length, recoveries.length, waits[0]?.from], [1, 0, 9100])
    // A wait that goes on begins with the part.
    assert.deepInclude(part(7).waits[0], { kind: "person", from: 9200 })
  })

  it("a successor that dies before it took its hand-off ends the recovery as untaken, and the next one begins there", () => {
    const again = at(9500, Event.RecoveryStarted.make({ at: 0, cycle: 2, purpose: "relaunch", trigger: "pid" }))
    const events = given(...opened, died, at(5500, started), relaunched, at(9000, ConductorDied), again)
    const { recoveries } = watchTimeline(events, 20_000)
    assert.deepStrictEqual(
      recoveries.map(({ cycle, from, outcome, to }) => ({ cycle, from, to, outcome })),
      [
        { cycle: 1, from: 5000, to: 9000, outcome: "untaken" },
        { cycle: 2, from: 9000, to: null, outcome: null }
      ]
    )
  })

  it("a command that runs again needs no hand-off", () => {
    const command = at(1000, { ...examples.WatchOpened, kind: "command" as const })
    const events = given(command, opened[1]!, died, at(5500, started), relaunched)
    assert.deepInclude(watchTimeline(events, 20_000).recoveries[0], { to: 8000, outcome: "launched" })
  })

  it("a recovery that fails closed is over, and the standby after it goes on to the end of the watch", () => {
    const closed = at(6000, examples.RecoveryFailedClosed)
    const released = at(9000, examples.WatchReleased)
    const { generations, over, recoveries, to, waits } = watchTimeline(
      given(...opened, died, at(5500, started), closed, released),
      20_000
    )
    assert.deepInclude(recoveries[0], { to: 6000, outcome: "failed closed" })
    assert.deepStrictEqual(waits, [{ kind: "standby", from: 6000, to: 9000, revision: 5 }])
    assert.deepStrictEqual([over, to, generations[0]?.ended], [true, 9000, "pid"])
  })
  it("a stop, by a person or at a limit, is no recovery, and ends one that runs", () => {
    const stops = Event.RecoveryStarted.make({ at: 6000, cycle: 2, purpose: "stop", trigger: "ceiling" })
    const end = at(9000, examples.WatchStopped)
    const outcomes = (...events: ReadonlyArray<WatchEvent>) =>
      watchTimeline(given(...opened, ...events, stops, end), 20_000).recoveries.map(({ outcome, to }) => [outcome, to])
    assert.deepStrictEqual(outcomes(), [])
    assert.deepStrictEqual(outcomes(died, at(5500, started)), [["overruled", 6000]])
  })

  it("a wait, a hold and a wait for a person are told with their times", () => {
    const wait = at(3000, { ...examples.WaitStarted, kind: "usage-limit" as const, until: 4000 })
    const { waits } = watchTimeline(
      given(
        ...opened,
        wait,
        at(4000, { ...examples.WaitEnded, how: "over" as const }),
        at(5000, examples.HoldStarted),
        at(6000, examples.PersonAwaited),
        at(7000, examples.HoldEnded),
        at(8000, examples.WatchReleased)
      ),
      20_000
    )
    assert.deepStrictEqual(
      waits.map(({ from, kind, to }) => [kind, from, to]),
      [
        ["usage-limit", 3000, 4000],
        ["hold", 5000, 7000],
        ["person", 6000, 8000]
      ]
    )
  })

  it("quiet stretches are breaks, so that the seconds of a recovery are seen, and time never goes back", () => {
    const hour = 3_600_000
    const events = given(at(0, died), at(5 * hour, died), at(5 * hour + 2000, died))
    const quiet = quietOf(events, 10 * hour)
    assert.deepStrictEqual(quiet, [
      { from: 0, to: 5 * hour, after: 1 },
      { from: 5 * hour + 2000, to: 10 * hour, after: 3 }
    ])
    const place = foldedScale(0, 10 * hour, quiet)
    assert.isAbove(place(5 * hour + 2000) - place(5 * hour), 0.5)
    assert.deepStrictEqual([place(-1), place(11 * hour)], [0, 1])
    const places = Array.from({ length: 101 }, (_, n) => place((n * 10 * hour) / 100))
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    // A night of many quiet stretches has room for all.
    const many = Array.from({ length: 400 }, (_, n) => ({ from: n * hour, to: n * hour + hour / 2, after: n }))
    assert.closeTo(foldedScale(0, 400 * hour, many)(400 * hour), 1, 1e-6)
  })

  it("a watch without an event has an empty timeline", () => {
    assert.deepInclude(watchTimeline([], 5), { from: 5, to: 5, over: false, generations: [], recoveries: [] })
  })
  it("a run is told by its tasks, with each agent, its outcome, the feedback and the commits", () => {
    const { AgentAsked, AgentLimited, ImplementationCompleted, ReviewRejected, RunOpened, TaskStarted } = runExamples
    const taskId = "task-001"
    const asked = (time: number, token: string, role: "implementer" | "reviewer"): RunEvent =>
      at(time, { ...AgentAsked, token, role, taskId, attempt: 1 })
    const feedback = { ...ReviewRejected.feedback, summary: "tests are missing" }
    const events = given<RunEvent>(
      at(1000, RunOpened),
      at(2000, { ...TaskStarted, taskId }),
      asked(3000, "a1", "implementer"),
      at(4000, { ...ImplementationCompleted, token: "a1", taskId, commits: ["c1"] }),
      asked(5000, "a2", "reviewer"),
      at(6000, { ...ReviewRejected, token: "a2", taskId, feedback }),
      asked(7000, "a3", "implementer"),
      at(8000, { ...AgentLimited, token: "a3", taskId, kind: "outage", until: 9000 })
    )
    const { over, tasks, waits } = runTimeline(events, 10_000)
    assert.isFalse(over)
    assert.deepInclude(tasks[0], { id: taskId, from: 2000, to: null, outcome: null })
    assert.deepStrictEqual(
      tasks[0]?.agents.map(({ commits, from, outcome, role, to, words }) => [role, from, to, outcome, words, commits]),
      [
        ["implementer", 3000, 4000, "done", null, ["c1"]],
        ["reviewer", 5000, 6000, "rejected", "tests are missing", []],
        ["implementer", 7000, 8000, "limited", "outage", []]
      ]
    )
    assert.deepStrictEqual(waits, [{ kind: "outage", from: 8000, to: null, revision: 8 }])
  })
})
