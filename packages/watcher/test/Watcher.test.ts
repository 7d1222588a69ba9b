import { assert, describe, it } from "@effect/vitest"
import { Event, formatTime, LoginStatus } from "@souffleur/domain"
import { begun, fakeCompactPrompt, identityOf, settle, until } from "@souffleur/testing"
import { Deferred, Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { conductor, history, watching, type World } from "./WatcherWorld.ts"

/** A second generation, which souffleur launched, and which was seen by its first watcher. */
const launchedAgain = [history.confirmed(null), history.started(), history.relaunched, history.started(2)]
const tagsOf = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

describe("behaviour#polls", () => {
  it.effect("the watcher polls first at exactly 240 s, then each 60 s, and not in between", () =>
    Effect.gen(function* () {
      const { world } = yield* watching()
      // The look at its start is where changes are seen from; it decides nothing.
      assert.deepStrictEqual(world.comms.looks, [0])
      yield* until(239.999)
      assert.deepStrictEqual(world.comms.looks, [0])
      yield* until(240)
      assert.deepStrictEqual(world.comms.looks, [0, 240])
      yield* until(480)
      assert.deepStrictEqual(world.comms.looks, [0, 240, 300, 360, 420, 480])
    })
  )

  it.effect("the probe brings a poll forward within a second of the process's end", () =>
    Effect.gen(function* () {
      const { ended, told, world } = yield* watching()
      yield* until(100.5)
      world.condition = "gone"
      yield* until(100.999)
      assert.deepStrictEqual(yield* told, [])
      yield* until(101)
      const [died, recovery] = yield* told
      assert.deepStrictEqual(
        [died?._tag, died?.at, recovery?._tag],
        ["ConductorDied", begun + 101_000, "RecoveryStarted"]
      )
      assert.strictEqual(died?._tag === "ConductorDied" ? died.reason : undefined, "pid")
      assert.deepStrictEqual(world.comms.looks, [0, 101])
      assert.isTrue(yield* ended)
    })
  )
  it.effect("a reported end brings the probe forward", () =>
    Effect.gen(function* () {
      const reported = yield* Deferred.make<void>()
      const { told, world } = yield* watching({ world: { reported: Deferred.await(reported) } })
      yield* until(100.5)
      world.condition = "gone"
      yield* Deferred.succeed(reported, undefined)
      yield* settle
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      assert.deepStrictEqual(world.comms.looks, [0, 100.5])
    })
  )
  it.effect(
    "a report is only a hint: nothing follows while the process is seen alive, and it is looked at as before",
    () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { reported: Effect.void } })
        yield* until(100.5)
        assert.deepStrictEqual([world.comms.looks, yield* told], [[0], []])
        world.condition = "gone"
        yield* until(101)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
  )
  it.effect("the probe brings no poll forward while the process lives or is stopped", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      world.condition = "stopped"
      yield* until(239)
      assert.deepStrictEqual([world.comms.looks, yield* told], [[0], []])
    })
  )
  it.effect("the probe brings no poll forward in standby, or while a limit is waited out", () =>
    Effect.gen(function* () {
      for (const event of [history.closed, history.waiting(begun + 9_000_000)]) {
        const { world } = yield* watching({
          world: { condition: "gone" },
          history: [history.confirmed(), event, history.started(2)]
        })
        yield* until(239)
        assert.lengthOf(world.comms.looks, 1)
      }
    })
  )
  it.effect("the probe decides nothing: the poll that it brings forward may see completion first", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      Object.assign(world.row!, { state: "complete" })
      world.condition = "gone"
      yield* until(101)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorCompleted"])
    })
  )
  it.effect("a Conductor that completes and ends while a poll reads has not died", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      let state = "working"
      const row = Object.defineProperty({ ...world.row! }, "state", {
        get: () => {
          const read = state
          state = "complete"
          world.condition = "gone"
          return read
        }
      })
      world.row = row
      yield* until(241)
      assert.deepStrictEqual([state, tagsOf(yield* told)], ["complete", ["ConductorCompleted"]])
    })
  )
})

describe("behaviour#beats", () => {
  it.effect("the watcher beats when it starts and every 60 s, also while it waits for its first poll", () =>
    Effect.gen(function* () {
      const { lastBeat, world } = yield* watching()
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/1 at 0"))
      yield* until(180)
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/1 at 180"))
      yield* until(361)
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/1 at 360"))
      assert.deepStrictEqual(
        [...new Set(world.comms.beats.map(({ second }) => second))],
        [0, 60, 120, 180, 240, 300, 360]
      )
    })
  )
  it.effect("the watcher beats in souffleur's own store, whether or not comms takes the copy", () =>
    Effect.gen(function* () {
      const { lastBeat, world } = yield* watching({ world: { mirrorFails: true } })
      yield* until(310)
      assert.deepStrictEqual(world.comms.beats, [])
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/1 at 300"))
    })
  )
})

describe("behaviour#phases", () => {
  it.effect("the watcher reports at once that it runs, so that its self-monitor starts", () =>
    Effect.gen(function* () {
      const { ref } = yield* watching()
      assert.strictEqual((yield* ref.state).monitor?.watcher, 1)
    })
  )
})

describe("behaviour#stop", () => {
  it.effect(
    "the offspring is remembered at the start and with each beat, with the earlier ones, not at each probe",
    () =>
      Effect.gen(function* () {
        const { remembered, world } = yield* watching({ world: { children: 2 } })
        assert.deepStrictEqual(yield* remembered, [5001, 5000])
        yield* until(59)
        assert.lengthOf(world.processes.trees, 1)
        world.children = 1
        yield* until(60)
        assert.deepStrictEqual(yield* remembered, [5000])
        assert.deepInclude(world.processes.trees.at(-1), { others: [], known: [5001, 5000] })
        yield* until(300)
        assert.lengthOf(world.processes.trees, 6)
      })
  )
  it.effect("the offspring is the newest thousand, without those of another agent's session", () =>
    Effect.gen(function* () {
      const holders = new Map([
        ["s1", conductor.pid],
        ["another", 70]
      ])
      const { remembered, world } = yield* watching({ world: { children: 1200, holders } })
      const pids = yield* remembered
      assert.deepStrictEqual([pids.length, pids[0], pids.at(-1)], [1000, 6199, 5200])
      assert.deepStrictEqual(world.processes.trees.at(-1)?.others, [70])
    })
  )
  it.effect("the offspring of a gone Conductor stays as it was seen: its pid may be another agent's", () =>
    Effect.gen(function* () {
      const { remembered, world } = yield* watching()
      world.condition = "gone"
      world.children = 0
      yield* until(2)
      assert.deepStrictEqual([yield* remembered, world.processes.trees.length], [[5000], 1])
    })
  )
})

describe("behaviour#still-dead", () => {
  it.effect("an agent that loses its launcher while the tree is read is not forgotten", () =>
    Effect.gen(function* () {
      const { remembered, world } = yield* watching()
      world.children = 0
      world.processes.onTree = () => void (world.condition = "gone")
      yield* until(60)
      assert.deepStrictEqual(yield* remembered, [5000])
    })
  )
})

describe("behaviour#exits", () => {
  it.effect("the probe takes a zombie for gone", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      world.condition = "zombie"
      yield* until(1)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
    })
  )
  it.effect("the watcher reads everything first and exits once, at once, with the task count", () =>
    Effect.gen(function* () {
      const { ended, told, world } = yield* watching({ world: { taskCount: 9 } })
      yield* until(250)
      Object.assign(world.row!, { state: "complete" })
      yield* until(299)
      assert.isFalse(yield* ended)
      yield* until(300)
      assert.isTrue(yield* ended)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorCompleted"])
      yield* until(900)
      assert.deepStrictEqual([world.comms.looks.at(-1), (yield* told).length], [300, 1])
    })
  )
})

describe("behaviour#print-mode", () => {
  it.effect("an ended turn counts only in print mode: any other Conductor that is gone has died", () =>
    Effect.gen(function* () {
      for (const [print, tag] of [
        [false, "ConductorDied"],
        [true, "TurnEnded"]
      ] as const) {
        const confirmed = { ...history.confirmed(), print }
        const { told } = yield* watching({
          world: { condition: "gone", turnFinished: true },
          history: [confirmed, history.started()]
        })
        yield* until(2)
        assert.strictEqual((yield* told)[0]?._tag, tag)
      }
    })
  )
})

describe("behaviour#heartbeat-age", () => {
  describe("the heartbeat", () => {
    const stuckAt = (second: number) => ({
      state: "working",
      sessionId: "s1",
      heartbeat: formatTime(begun + second * 1000)
    })
    it.effect("an old heartbeat is a death at the next poll, and not at exactly 240 s", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching()
        yield* until(100)
        world.row = stuckAt(60)
        // The poll at 240 s sees a change since the start. From then on nothing changes.
        yield* until(480)
        assert.deepStrictEqual(yield* told, [])
        yield* until(540)
        const [died] = yield* told
        assert.deepStrictEqual(died?._tag === "ConductorDied" ? [died.reason, died.evidence.heartbeatAge] : [], [
          "heartbeat",
          300_000
        ])
      })
    )
    it.effect("an old heartbeat is a death one second after 240 s", () =>
      Effect.gen(function* () {
        for (const [second, age] of [
          [60, undefined],
          [59, 241_000]
        ] as const) {
          const { told } = yield* watching({ world: { row: stuckAt(second) } })
          yield* until(300)
          const [died] = yield* told
          assert.strictEqual(died?._tag === "ConductorDied" ? died.evidence.heartbeatAge : undefined, age)
        }
      })
    )
    it.effect("a heartbeat is not expected before the launch of this generation", () =>
      Effect.gen(function* () {
        const { told } = yield* watching({ world: { row: stuckAt(-3600) } })
        yield* until(240)
        assert.deepStrictEqual(yield* told, [])
        yield* until(300)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("a heartbeat that is NULL, unreadable or of the future is neither dead nor fresh", () =>
      Effect.gen(function* () {
        for (const heartbeat of [null, "", "in a minute", formatTime(begun + 86_400_000)]) {
          const { told } = yield* watching({ world: { row: { state: "working", sessionId: "s1", heartbeat } } })
          yield* until(3600)
          assert.deepStrictEqual(yield* told, [], String(heartbeat))
        }
      })
    )
    it.effect("a heartbeat that goes on changing is alive, even an old, future or unreadable one", () =>
      Effect.gen(function* () {
        for (const heartbeat of [
          (now: number) => formatTime(now - 7_200_000),
          (now: number) => formatTime(now + 7_200_000),
          (now: number) => `beat ${now}`
        ]) {
          const { told } = yield* watching({ world: { row: { state: "working", sessionId: "s1", heartbeat } } })
          yield* until(3600)
          assert.deepStrictEqual(yield* told, [])
        }
      })
    )
    it.effect("a heartbeat by a slow clock is alive at the first poll of a watcher that started late, too", () =>
      Effect.gen(function* () {
        const behind = (now: number) => formatTime(now - 7_200_000)
        const { told } = yield* watching({
          world: { row: { state: "working", sessionId: "s1", heartbeat: behind } },
          history: [
            history.confirmed(),
            history.started(),
            history.lost(1, begun + 900_000),
            history.started(2, false, begun + 900_000)
          ],
          late: 900.5
        })
        yield* until(2000)
        assert.deepStrictEqual(yield* told, [])
      })
    )
  })

  describe("a break in polling", () => {
    const stuck = { state: "working", sessionId: "s1", heartbeat: formatTime(begun) }
    it.effect("a late poll restarts the 240 s", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { row: stuck } })
        yield* until(239)
        // The poll at 240 s hangs, and is made once more. The next comes at 480 s.
        world.comms.slow = 180_000
        yield* until(719)
        assert.deepStrictEqual(world.comms.looks.slice(0, 4), [0, 240, 420, 480])
        assert.deepStrictEqual(tagsOf(yield* told), [])
        yield* until(780)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("a poll that was suspended is no evidence: records of that time are neither future nor old", () =>
      Effect.gen(function* () {
        const asked = (second: number): World["signs"] => ({
          writtenAt: begun + second * 1000,
          turn: { _tag: "Asked", at: begun + second * 1000 },
          context: undefined
        })
        const pidFile = { status: "busy", waitingFor: undefined, writtenAt: begun }
        const { told, world } = yield* watching({ world: { solo: true, pidFile, signs: asked(60) } })
        yield* until(1139)
        world.agent.slow = 300_000
        yield* until(1400)
        world.signs = asked(1400)
        yield* until(1500)
        assert.deepStrictEqual(tagsOf(yield* told), [])
        // It is none of the other kind either: what is silent from then on is seen in its time.
        yield* until(2600)
        assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", reason: "hang" })
      })
    )
    it.effect("a clock that is set back while a look stands still makes no beat old", () =>
      Effect.gen(function* () {
        const row = { ...stuck, heartbeat: formatTime(begun + 235_000) }
        const { told, world } = yield* watching({ world: { row } })
        yield* until(239)
        world.comms.slow = 30_000
        yield* until(250)
        world.wallJump = -600_000
        world.row = { ...row, heartbeat: formatTime(begun - 350_000) }
        yield* until(400)
        assert.deepStrictEqual(tagsOf(yield* told), [])
      })
    )
    for (const [name, jump] of [
      ["forward", 600_000],
      ["back", -600_000]
    ] as const) {
      it.effect(`a wall clock that jumps ${name} restarts the 240 s`, () =>
        Effect.gen(function* () {
          const { told, world } = yield* watching()
          yield* until(250)
          world.row = { ...stuck, heartbeat: formatTime(begun + 240_000) }
          yield* until(290)
          world.wallJump = jump
          // The poll at 300 s sees the jump. The value may be dead from 540 s on, and not by the jump alone.
          yield* until(540)
          assert.deepStrictEqual(yield* told, [])
          yield* until(600)
          // Set back, the value is of the future: unknown.
          assert.deepStrictEqual(tagsOf(yield* told), jump > 0 ? ["ConductorDied", "RecoveryStarted"] : [])
        })
      )
    }
    it.effect("comms that is back restarts the 240 s; while it is out, no heartbeat is judged", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { row: stuck } })
        yield* until(200)
        world.row = undefined
        yield* until(1199)
        assert.deepStrictEqual(yield* told, [])
        world.row = stuck
        yield* until(1440)
        assert.deepStrictEqual(yield* told, [])
        yield* until(1500)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("comms that was out before the first poll restarts the 240 s, too", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { row: stuck } })
        yield* until(50)
        world.row = undefined
        yield* until(130)
        world.row = stuck
        yield* until(480)
        assert.deepStrictEqual(yield* told, [])
        yield* until(540)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("a comms outage does not hide the end of the process", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching()
        world.row = undefined
        yield* until(300)
        world.condition = "gone"
        yield* until(301)
        const [died] = yield* told
        assert.deepStrictEqual(
          died?._tag === "ConductorDied" ? [died.reason, died.taskCount, died.evidence.conductorState] : [],
          ["pid", null, null]
        )
      })
    )
    it.effect("a watcher that replaces a lost one restarts the 240 s", () =>
      Effect.gen(function* () {
        const { told } = yield* watching({
          world: { row: stuck },
          history: [
            history.confirmed(),
            history.started(),
            history.lost(1, begun + 900_000),
            history.started(2, false, begun + 900_000)
          ],
          late: 900
        })
        yield* until(1140)
        assert.deepStrictEqual(yield* told, [])
        yield* until(1200)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("a clock that was set back after the launch hides no dead Conductor from a new watcher", () =>
      Effect.gen(function* () {
        const hour = 3_600_000
        const row = { ...stuck, heartbeat: formatTime(begun - 2 * hour) }
        const { told } = yield* watching({ world: { row, wallJump: -hour } })
        yield* until(240)
        assert.deepStrictEqual(yield* told, [])
        yield* until(300)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("a souffleur that comes back after hours restarts the 240 s", () =>
      Effect.gen(function* () {
        const { told } = yield* watching({ world: { row: stuck }, late: 7200 })
        yield* until(7440)
        assert.deepStrictEqual(yield* told, [])
        yield* until(7500)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
      })
    )
  })
})

describe("behaviour#raised-in-this-generation", () => {
  describe("a planned hand-off", () => {
    const handoff = { state: "context_recovery", sessionId: "s1", heartbeat: (now: number) => formatTime(now) }
    it.effect("a request is an exit when it is raised in this generation", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching()
        yield* until(250)
        world.row = handoff
        yield* until(300)
        assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "RecoveryStarted"])
      })
    )
    it.effect("a request from before the launch is ignored until another state was seen", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          world: { row: handoff },
          history: [history.confirmed("context_recovery"), history.started()]
        })
        yield* until(600)
        assert.deepStrictEqual(yield* told, [])
        world.row = { ...handoff, state: "working" }
        yield* until(660)
        world.row = handoff
        yield* until(720)
        assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "RecoveryStarted"])
      })
    )
    it.effect("a request from before the launch is ignored without a newer payload", () =>
      Effect.gen(function* () {
        for (const [state, payload, tags] of [
          ["context_recovery", 4, []],
          [null, 5, []],
          ["context_recovery", 5, ["ContextRecoveryRequested", "RecoveryStarted"]]
        ] as const) {
          const confirmed = { ...history.confirmed(state), lastMessageId: 4 }
          const { told } = yield* watching({
            world: { row: handoff, payload },
            history: [confirmed, history.started()]
          })
          yield* until(600)
          assert.deepStrictEqual(tagsOf(yield* told), [...tags])
        }
      })
    )
    it.effect("a request after another state within the first 240 s counts", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          world: { row: handoff },
          history: [history.confirmed("context_recovery"), history.started()]
        })
        yield* until(100)
        world.row = { ...handoff, state: "working" }
        yield* until(130)
        world.row = handoff
        yield* until(240)
        assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "RecoveryStarted"])
      })
    )
    it.effect("a request is ignored when comms was out at the launch and it may be old", () =>
      Effect.gen(function* () {
        const { told } = yield* watching({
          world: { row: handoff },
          history: [history.confirmed(null), history.started()]
        })
        yield* until(600)
        assert.deepStrictEqual(yield* told, [])
      })
    )
    it.effect("a request counts for a replacing watcher, though only the first watcher saw another state", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          history: [
            history.confirmed("context_recovery"),
            history.started(),
            history.lost(1, begun + 900_000),
            history.started(2, false, begun + 900_000)
          ],
          late: 900
        })
        yield* until(1000)
        world.row = handoff
        yield* until(1140)
        assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "RecoveryStarted"])
      })
    )
  })
})

const awaiting = [history.confirmed(), history.started(1, true)]

const row = (sessionId: string | null) => ({
  state: "working",
  sessionId,
  heartbeat: (now: number) => formatTime(now)
})

describe("behaviour#modes", () => {
  describe("heartbeat-only", () => {
    const unresolved = [
      history.confirmed(),
      history.started(1, true),
      Event.SessionIdFound.make({ at: begun, watcher: 1, sessionId: "s7" }),
      Event.ConductorUnresolved.make({ at: begun, watcher: 1, sessionId: "s7" }),
      { ...history.started(2), mode: "heartbeat-only" as const }
    ]
    it.effect("heartbeat-only checks no process; an old heartbeat is still a death", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { condition: "gone" }, history: unresolved })
        yield* until(600)
        assert.deepStrictEqual([yield* told, world.processes.probes], [[], []])
        world.row = { ...world.row!, heartbeat: formatTime(begun + 600_000) }
        yield* until(900)
        const [died] = yield* told
        assert.strictEqual(
          died?._tag === "ConductorDied" ? `${died.reason} ${died.evidence.process}` : died?._tag,
          "heartbeat unknown"
        )
      })
    )
    it.effect("heartbeat-only ends when a live process holds the session, which is then watched", () =>
      Effect.gen(function* () {
        const { ref, told, world } = yield* watching({ history: unresolved })
        yield* until(300)
        world.hold("s7", 80)
        yield* until(360)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorResolved", "WatcherStarted"])
        assert.deepInclude(yield* ref.state, { conductor: { ...conductor, pid: 80 }, mode: "normal", generation: 1 })
      })
    )
    it.effect("a process that is no agent holds no session, whatever a pid file says", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { words: ["/usr/bin/postgres"] }, history: unresolved })
        world.hold("s7", 80)
        yield* until(360)
        assert.deepStrictEqual(tagsOf(yield* told), [])
      })
    )
  })

  it.effect("the watcher looks once for the holder of an unlaunched session: another process, or none", () =>
    Effect.gen(function* () {
      const other = yield* watching({ world: { row: row("s7") }, history: awaiting })
      other.world.agent.files!.add("s7")
      other.world.hold("s7", 80)
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* other.told), ["SessionIdFound", "ConductorResolved", "WatcherStarted"])
      assert.deepInclude(yield* other.ref.state, {
        conductor: { ...conductor, pid: 80 },
        pid: 80,
        mode: "normal",
        sessionId: "s7"
      })

      const nobody = yield* watching({ world: { row: row("s7") }, history: awaiting })
      nobody.world.agent.files!.add("s7")
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* nobody.told), ["SessionIdFound", "ConductorUnresolved", "WatcherStarted"])
      assert.deepInclude(yield* nobody.ref.state, {
        conductor: undefined,
        mode: "heartbeat-only",
        sessionId: "s7",
        awaiting: false
      })
    })
  )
  it.effect("the watcher takes a process with the Conductor's reused pid for another one", () =>
    Effect.gen(function* () {
      const { ref, told, world } = yield* watching({ world: { row: row("s7") }, history: awaiting })
      world.agent.files!.add("s7")
      world.hold("s7", conductor.pid)
      // It is gone in the midst of a look, after its condition was read.
      world.agent.slow = 500
      yield* until(240)
      world.processes.run({ pid: conductor.pid, startTime: 500 })
      yield* until(240.5)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "ConductorResolved", "WatcherStarted"])
      assert.deepStrictEqual((yield* ref.state).conductor, { ...conductor, startTime: 500 })
    })
  )
})

describe("behaviour#signs", () => {
  describe("an agent that chooses its ids", () => {
    it.effect("the session of a launch is taken once the agent reports it, also after its end", () =>
      Effect.gen(function* () {
        const nameless = [{ ...history.confirmed(), sessionId: "" }, history.started(1)]
        const begun: Array<string> = []
        const { ref, told } = yield* watching({ world: { solo: true, reports: () => begun[0] }, history: nameless })
        yield* until(240)
        assert.deepStrictEqual(yield* told, [])
        begun.push("s7")
        yield* until(300)
        assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
        assert.strictEqual((yield* ref.state).sessionId, "s7")
        const gone = yield* watching({
          world: { solo: true, condition: "gone", reports: () => "s8" },
          history: nameless
        })
        yield* until(600)
        assert.strictEqual(tagsOf(yield* gone.told)[0], "SessionIdFound")
      })
    )
    it.effect("the session of a launch is taken within seconds of its report, long before the first poll", () =>
      Effect.gen(function* () {
        const nameless = [{ ...history.confirmed(), sessionId: "" }, history.started(1)]
        const begun: Array<string> = []
        const { ref, told } = yield* watching({ world: { solo: true, reports: () => begun[0] }, history: nameless })
        yield* until(4)
        assert.deepStrictEqual(yield* told, [])
        begun.push("s7")
        yield* until(8)
        assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
        assert.strictEqual((yield* ref.state).sessionId, "s7")
      })
    )
    it.effect(
      "a successor that ended before the first look is no death where its launch left a session, also with comms",
      () =>
        Effect.gen(function* () {
          const { ref, told } = yield* watching({
            world: { condition: "gone", reports: () => "s8" },
            history: [{ ...history.confirmed(), sessionId: "" }, history.started(1, true)]
          })
          yield* until(300)
          assert.strictEqual(tagsOf(yield* told)[0], "SessionIdFound")
          assert.strictEqual((yield* ref.state).sessionId, "s8")
        })
    )
  })
})

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("the watcher finds a new session whose file exists", () =>
    Effect.gen(function* () {
      const { ref, told, world } = yield* watching({ world: { row: row("s7") }, history: awaiting })
      yield* until(240)
      assert.deepStrictEqual(yield* told, [])
      world.agent.files!.add("s7")
      world.hold("s7", conductor.pid)
      yield* until(300)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
      const { awaiting: still, sessionId } = yield* ref.state
      assert.deepStrictEqual([still, sessionId], [false, "s7"])
    })
  )
  it.effect("the watcher takes a session without a known folder from a live holder in the watch's project", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: row("s7") }, history: awaiting })
      world.agent.files!.add("s7")
      world.hold("s7", 80)
      world.agent.began.set("s7", undefined)
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "ConductorResolved", "WatcherStarted"])
    })
  )
  it.effect("the watcher finds the session of the launch", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({ history: awaiting })
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
    })
  )
  it.effect("the watcher takes no empty id, no session without a file, and none of an earlier generation", () =>
    Effect.gen(function* () {
      for (const sessionId of [null, "", "s9", "s0-earlier", "s0"]) {
        const earlier = { ...history.confirmed(), sessionId: "s0-earlier" }
        const { told, world } = yield* watching({ world: { row: row(sessionId) }, history: [earlier, ...awaiting] })
        world.agent.files!.add("s0-earlier")
        yield* until(600)
        assert.deepStrictEqual(yield* told, [], String(sessionId))
      }
    })
  )
  it.effect("a watcher with a known session takes no further id", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: row("s7") } })
      world.agent.files!.add("s7")
      yield* until(600)
      assert.deepStrictEqual(yield* told, [])
    })
  )
})

describe("behaviour#awaiting-a-session-id, security#commsdb", () => {
  it.effect("the watcher takes no session of another project, and reports it once", () =>
    Effect.gen(function* () {
      for (const where of ["/secret", "/p/nested", "/p2", undefined]) {
        const { told, world } = yield* watching({
          world: { row: row("s7"), folder: where ?? "/secret" },
          history: awaiting
        })
        world.agent.files!.add("s7")
        world.hold("s7", 80)
        world.agent.began.set("s7", where)
        yield* until(600)
        assert.deepStrictEqual(tagsOf(yield* told), ["WordRefused"], where)
        const [refused] = yield* told
        assert.include(
          refused?._tag === "WordRefused" ? `${refused.what} ${refused.message}` : "",
          "session session s7, which task-00 names, is not taken"
        )
      }
    })
  )
})

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("a folder of sessions that only the living process names goes into the log at once, and once", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { folders: ["/home/ada/.claude-work"] } })
      yield* until(1)
      world.condition = "gone"
      yield* until(3)
      const found = (yield* told).filter(({ _tag }) => _tag === "AgentFolderFound")
      assert.deepStrictEqual(found, [{ _tag: "AgentFolderFound", at: begun, folder: "/home/ada/.claude-work" }])
    })
  )
})

describe("behaviour#standby", () => {
  describe("standing by", () => {
    const standby = [history.confirmed(), history.closed, history.started(2)]
    it.effect("standby ignores deaths and hand-offs, and takes completion", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          world: {
            condition: "gone",
            row: { state: "context_recovery", sessionId: "s1", heartbeat: formatTime(begun - 9_000_000) }
          },
          history: standby
        })
        yield* until(1000)
        assert.deepStrictEqual(yield* told, [])
        assert.isAbove(world.comms.looks.length, 10)
        Object.assign(world.row!, { state: "complete" })
        yield* until(1080)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorCompleted"])
      })
    )
    it.effect(
      "standby takes a live holder with a new heartbeat as its Conductor, and no session that only compacts",
      () =>
        Effect.gen(function* () {
          for (const [words, tags] of [
            [["/bin/agent", "--resume", "s1", "--", fakeCompactPrompt], []],
            [
              ["/bin/agent", "--resume", "s1", "--", "go on"],
              ["ConductorAdopted", "WatcherStarted"]
            ]
          ] as const) {
            const { told, world } = yield* watching({
              world: { condition: "gone", row: { state: "working", sessionId: "s1", heartbeat: formatTime }, words },
              history: standby
            })
            world.hold("s1", 50)
            yield* TestClock.adjust("6 minutes")
            assert.deepStrictEqual(tagsOf(yield* told), [...tags])
          }
        })
    )
    it.effect("standby takes no heartbeat as new before it has seen it change: its clock may be ahead", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          world: {
            condition: "gone",
            row: { state: "working", sessionId: "s1", heartbeat: formatTime(begun + 60_000) }
          },
          history: standby
        })
        world.hold("s1", 50)
        yield* until(3000)
        assert.deepStrictEqual(yield* told, [])
      })
    )
    it.effect("standby takes an agent that lives on behind its launcher as its Conductor, and soon", () =>
      Effect.gen(function* () {
        const withheld = Event.RecoveryWithheld.make({
          at: begun,
          cycle: 1,
          trigger: "pid",
          stage: "ceiling",
          message: ""
        })
        for (const comms of [true, false]) {
          yield* TestClock.setTime(begun)
          const row = { state: "working", heartbeat: null, sessionId: "s1" }
          const left = { solo: !comms, condition: "gone", words: ["/bin/agent"], signs: undefined, row } as const
          const { told, world } = yield* watching({
            world: left,
            started: [50],
            history: [history.confirmed(), withheld, history.started(2)]
          })
          world.hold("s1", 50)
          yield* until(2)
          assert.deepStrictEqual(yield* told, [])
          yield* until(4)
          const [adopted] = yield* told
          assert.deepInclude(adopted, { _tag: "ConductorAdopted", conductor: identityOf(50) })
          // An agent that it did not start is another.
          yield* TestClock.setTime(begun)
          const other = yield* watching({
            world: left,
            history: [history.confirmed(), withheld, history.started(2)]
          })
          other.world.hold("s1", 50)
          yield* until(4)
          assert.deepStrictEqual(yield* other.told, [])
        }
      })
    )
    it.effect("standby for a refused login tells that the login was written since, and nothing else tells it", () =>
      Effect.gen(function* () {
        for (const [stage, wroteAt, tags] of [
          ["login", begun + 300_000, ["RecoveryRetried", "RecoveryStarted"]],
          ["account", begun + 300_000, ["RecoveryRetried", "RecoveryStarted"]],
          ["login", begun, []],
          ["model", begun + 300_000, []]
        ] as const) {
          yield* TestClock.setTime(begun)
          const withheld = Event.RecoveryWithheld.make({ at: begun, cycle: 1, trigger: "limit", stage, message: "" })
          const { told, world } = yield* watching({
            world: { condition: "gone" },
            history: [history.confirmed(), withheld, history.started(2)]
          })
          yield* until(290)
          world.agent.loginWrittenAt = wroteAt
          yield* until(310)
          assert.deepStrictEqual(tagsOf(yield* told), [...tags], stage)
        }
      })
    )
    it.effect(
      "standby for a refused login tells that the agent says that it is logged in, after it said that not",
      () =>
        Effect.gen(function* () {
          const [out, back, unknown] = [Option.some(false), Option.some(true), Option.none<boolean>()]
          for (const [first, then, tags] of [
            [out, back, ["RecoveryRetried", "RecoveryStarted"]],
            // It was refused although it said so.
            [back, back, []],
            [unknown, back, []],
            [out, unknown, []]
          ] as const) {
            yield* TestClock.setTime(begun)
            let says: Option.Option<boolean> = first
            const stage = "login"
            const withheld = Event.RecoveryWithheld.make({ at: begun, cycle: 1, trigger: "limit", stage, message: "" })
            const { told } = yield* watching({
              world: { condition: "gone" },
              history: [history.confirmed(), withheld, history.started(2)]
            }).pipe(Effect.provideService(LoginStatus, () => Effect.sync(() => says)))
            yield* until(310)
            says = then
            yield* until(610)
            assert.deepStrictEqual(tagsOf(yield* told), [...tags])
          }
        })
    )
    it.effect("standby goes on beating", () =>
      Effect.gen(function* () {
        const { lastBeat } = yield* watching({ world: { condition: "gone" }, history: standby })
        yield* until(1000)
        assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/2 at 960"))
      })
    )
  })
})

describe("behaviour#solo", () => {
  it.effect("an agent that ends after a finished turn has completed; an end within a turn is a death", () =>
    Effect.gen(function* () {
      for (const [turnFinished, tag] of [
        [true, "ConductorCompleted"],
        [false, "ConductorDied"]
      ] as const) {
        const { told, world } = yield* watching({ world: { solo: true, turnFinished, children: 0 } })
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* told, [])
        world.condition = "gone"
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* told)[0]?._tag, tag)
      }
    })
  )
  it.effect("a command has completed only by exit code 0; any other or unknown code is a death", () =>
    Effect.gen(function* () {
      for (const [ended, tag] of [
        [0, "ConductorCompleted"],
        [1, "ConductorDied"],
        [137, "ConductorDied"],
        ["SIGKILL", "ConductorDied"],
        [undefined, "ConductorDied"]
      ] as const) {
        const { told, world } = yield* watching({
          world: { solo: true, kind: "command", ended, turnFinished: true, children: 0 },
          history: launchedAgain
        })
        world.condition = "zombie"
        yield* TestClock.adjust("1 second")
        const [end, next] = yield* told
        assert.strictEqual(end?._tag, tag)
        const asks = next?._tag === "RecoveryWithheld" && next.stage === "unknown-end"
        assert.strictEqual(asks, ended === undefined, String(ended))
      }
    })
  )
  it.effect("a solo watch without signs reports only the end of its process", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true } })
      yield* until(7200)
      assert.deepStrictEqual(yield* told, [])
      world.condition = "gone"
      yield* TestClock.adjust("1 second")
      const [died] = yield* told
      assert.deepStrictEqual(died?._tag === "ConductorDied" ? [died.reason, died.evidence.heartbeat] : [], [
        "pid",
        null
      ])
    })
  )
})

describe("behaviour#restart", () => {
  it.effect("a command whose window was closed has died, and is run again", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({
        world: { solo: true, kind: "command", terminal: "tmux" },
        history: launchedAgain
      })
      world.condition = "gone"
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* told).map(({ _tag }) => _tag).filter((tag) => !tag.startsWith("Watcher")),
        ["ConductorDied", "WaitStarted"]
      )
    })
  )
  it.effect("a command that was run again has no hand-off to take, and no session to hang", () =>
    Effect.gen(function* () {
      const again = Event.ConductorRelaunched.make({
        at: begun,
        cycle: 1,
        generation: 2,
        provider: "restart",
        launchId: "w-g2-c1-restart-1",
        conductor,
        sessionId: "",
        awaiting: false,
        print: false,
        exportPath: null,
        taskCount: 0,
        taskFingerprint: "",
        conductorState: null,
        lastMessageId: 0
      })
      const before = [history.confirmed(null), history.started(), again, history.started(2)]
      const { told } = yield* watching({ world: { solo: true, kind: "command" }, history: before })
      yield* until(7200)
      assert.deepStrictEqual(yield* told, [])
    })
  )
})

describe("behaviour#retries", () => {
  it.effect("a death of a command that is noticed late counts up to the last beat, not as a long run", () =>
    Effect.gen(function* () {
      const lateBy = 8 * 3600
      const before = [history.confirmed(null), history.started(), history.started(2, false, begun + lateBy * 1000)]
      for (const [beatBefore, retries] of [
        [30, 1],
        [599, 1],
        [600, 0]
      ] as const) {
        const { told } = yield* watching({
          world: { solo: true, kind: "command", condition: "gone" },
          history: before,
          late: lateBy,
          beatBefore
        })
        yield* TestClock.adjust("1 second")
        assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", retries })
      }
    })
  )
  it.effect("a command counts as run up to the end that its launch has recorded", () =>
    Effect.gen(function* () {
      for (const [seconds, retries] of [
        [599, 1],
        [600, 0]
      ] as const) {
        const { told, world } = yield* watching({
          world: { solo: true, kind: "command", ended: 1 },
          history: launchedAgain,
          late: 3600
        })
        world.endedAt = begun + seconds * 1000
        world.condition = "gone"
        yield* TestClock.adjust("1 second")
        assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", retries })
      }
    })
  )
  it.effect("a command counts as run up to its end, where its watcher was there", () =>
    Effect.gen(function* () {
      for (const [seconds, retries] of [
        [595, 1],
        [605, 0],
        [3600, 0]
      ] as const) {
        const settings = { watcherInterval: Duration.minutes(7) }
        const { told, world } = yield* watching({ world: { solo: true, kind: "command" }, settings })
        yield* until(seconds)
        world.condition = "gone"
        yield* TestClock.adjust("1 second")
        assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", retries })
      }
    })
  )
})
