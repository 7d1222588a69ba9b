import { assert, describe, it } from "@effect/vitest"
import { Event, formatTime } from "@souffleur/domain"
import { begun, compactPrompt, until } from "@souffleur/testing"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { conductor, history, watching, type World } from "./WatcherWorld.ts"

const tagsOf = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)

describe("its times", () => {
  it.effect("polls first at exactly 240 s, then each 60 s, and not once between", () =>
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
  it.effect("beats when it starts and every 60 s, also while it waits for its first poll", () =>
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
  it.effect("beats in souffleur's own store, whether or not comms takes the mirror of it", () =>
    Effect.gen(function* () {
      const { lastBeat, world } = yield* watching({ world: { mirrorFails: true } })
      yield* until(310)
      assert.deepStrictEqual(world.comms.beats, [])
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/1 at 300"))
    })
  )
  it.effect("says that it runs at once, so that its self-monitor starts", () =>
    Effect.gen(function* () {
      const { ref } = yield* watching()
      assert.strictEqual((yield* ref.state).monitor?.watcher, 1)
    })
  )
})

describe("what the Conductor has started", () => {
  it.effect("is remembered at its start and with each beat, and by what was known before: not at each probe", () =>
    Effect.gen(function* () {
      const { remembered, world } = yield* watching({ world: { children: 2 } })
      assert.deepStrictEqual(yield* remembered, [5001, 5000])
      yield* until(59)
      assert.lengthOf(world.processes.trees, 1)
      world.children = 1
      yield* until(60)
      assert.deepStrictEqual(yield* remembered, [5000])
      assert.deepStrictEqual(world.processes.trees.at(-1), { others: [], known: [5001, 5000] })
      yield* until(300)
      assert.lengthOf(world.processes.trees, 6)
    })
  )
  it.effect("is the newest thousand, and nothing of another agent's session", () =>
    Effect.gen(function* () {
      const holders = new Map([
        ["s1", conductor.pid],
        ["another", 70]
      ])
      const { remembered, world } = yield* watching({ world: { children: 1200, holders } })
      const pids = yield* remembered
      assert.deepStrictEqual([pids.length, pids[0], pids.at(-1)], [1000, 6199, 5200])
      assert.deepStrictEqual(world.processes.trees, [{ others: [70], known: [] }])
    })
  )
  it.effect("stays as it was seen once it is gone: that pid may be another agent's", () =>
    Effect.gen(function* () {
      const { remembered, world } = yield* watching()
      world.condition = "gone"
      world.children = 0
      yield* until(2)
      assert.deepStrictEqual([yield* remembered, world.processes.trees.length], [[5000], 1])
    })
  )
})

describe("the probe", () => {
  it.effect("brings a poll forward within a second of the process's end", () =>
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
      assert.strictEqual(died?._tag === "ConductorDied" ? died.cause : undefined, "pid")
      assert.deepStrictEqual(world.comms.looks, [0, 101])
      assert.isTrue(yield* ended)
    })
  )
  it.effect("takes a zombie for gone", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      world.condition = "zombie"
      yield* until(1)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
    })
  )
  it.effect("looks each second, and never brings a poll forward while the process lives or is stopped", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      world.condition = "stopped"
      yield* until(239)
      assert.strictEqual(new Set(world.processes.probes).size, 240)
      assert.deepStrictEqual([world.comms.looks, yield* told], [[0], []])
    })
  )
  it.effect(
    "brings none forward where the end of the process says nothing: standing by, and while a limit is waited out",
    () =>
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
  it.effect("decides nothing itself: the full poll it brings forward may see completion first", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      Object.assign(world.row!, { state: "complete" })
      world.condition = "gone"
      yield* until(101)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorCompleted"])
    })
  )
})

it.effect("a turn that ended is one of a Conductor in print mode: any other that is gone has died", () =>
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

describe("the heartbeat", () => {
  const stuckAt = (second: number) => ({
    state: "working",
    sessionId: "s1",
    heartbeat: formatTime(begun + second * 1000)
  })
  it.effect("fires when it is older than 240 s, and not at exactly 240", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(100)
      world.row = stuckAt(60)
      // The poll at 240 s sees that it changed since the start; from there on it stands still.
      yield* until(480)
      assert.deepStrictEqual(yield* told, [])
      yield* until(540)
      const [died] = yield* told
      assert.deepStrictEqual(died?._tag === "ConductorDied" ? [died.cause, died.evidence.heartbeatAge] : [], [
        "heartbeat",
        300_000
      ])
    })
  )
  it.effect("fires one second past 240 s", () =>
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
  it.effect("is not expected before the launch of this generation", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({ world: { row: stuckAt(-3600) } })
      yield* until(240)
      assert.deepStrictEqual(yield* told, [])
      yield* until(300)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
    })
  )
  it.effect("is unknown where it is NULL, unreadable or of the future: neither dead nor fresh", () =>
    Effect.gen(function* () {
      for (const heartbeat of [null, "", "in a minute", formatTime(begun + 86_400_000)]) {
        const { told } = yield* watching({ world: { row: { state: "working", sessionId: "s1", heartbeat } } })
        yield* until(3600)
        assert.deepStrictEqual(yield* told, [], String(heartbeat))
      }
    })
  )
  it.effect("is alive while it goes on changing, though it says that it is old, of the future or nothing at all", () =>
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
  it.effect(
    "of a conductor whose clock is behind is alive at the first poll of a watcher that was started late, too",
    () =>
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

describe("what breaks polling off", () => {
  const stuck = { state: "working", sessionId: "s1", heartbeat: formatTime(begun) }
  it.effect("a poll that came late begins the 240 s anew", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: stuck } })
      yield* until(239)
      // The poll at 240 s hangs: the next comes at 480 s, far more than twice its time.
      world.comms.slow = 180_000
      yield* until(719)
      assert.deepStrictEqual(world.comms.looks.slice(0, 3), [0, 240, 480])
      assert.deepStrictEqual(tagsOf(yield* told), [])
      yield* until(780)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
    })
  )
  it.effect(
    "a look that stood still in its midst is no evidence: what was written meanwhile is neither of the future nor old",
    () =>
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
        assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", cause: "hang" })
      })
  )
  for (const [name, jump] of [
    ["forward", 600_000],
    ["back", -600_000]
  ] as const) {
    it.effect(`a wall clock that jumps ${name} begins the 240 s anew`, () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching()
        yield* until(250)
        world.row = { ...stuck, heartbeat: formatTime(begun + 240_000) }
        yield* until(290)
        world.wallJump = jump
        // The poll at 300 s sees the jump: the value may be dead from 540 s on, and not by the jump alone.
        yield* until(540)
        assert.deepStrictEqual(yield* told, [])
        yield* until(600)
        // Set back, the value is of the future: unknown.
        assert.deepStrictEqual(tagsOf(yield* told), jump > 0 ? ["ConductorDied", "RecoveryStarted"] : [])
      })
    )
  }
  it.effect("comms that was out and is back begins the 240 s anew; while it is out, no heartbeat is judged", () =>
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
  it.effect("comms that was out while the watcher waited for its first poll begins the 240 s anew, too", () =>
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
  it.effect("comms that is out does not hide the end of the process", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      world.row = undefined
      yield* until(300)
      world.condition = "gone"
      yield* until(301)
      const [died] = yield* told
      assert.deepStrictEqual(
        died?._tag === "ConductorDied" ? [died.cause, died.taskCount, died.evidence.conductorState] : [],
        ["pid", null, null]
      )
    })
  )
  it.effect("a watcher that replaces a lost one begins the 240 s anew", () =>
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
  it.effect("a clock that was set back after the launch hides no dead Conductor from a watcher that begins then", () =>
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
  it.effect("a souffleur that comes back after hours begins the 240 s anew", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({ world: { row: stuck }, late: 7200 })
      yield* until(7440)
      assert.deepStrictEqual(yield* told, [])
      yield* until(7500)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorDied", "RecoveryStarted"])
    })
  )
})

describe("a planned handoff", () => {
  const handoff = { state: "context_recovery", sessionId: "s1", heartbeat: (now: number) => formatTime(now) }
  it.effect("is an exit when it is raised in this generation", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      yield* until(250)
      world.row = handoff
      yield* until(300)
      assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "RecoveryStarted"])
    })
  )
  it.effect("that is left over from before the launch is none, until another state was seen", () =>
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
  it.effect(
    "that is left over is none for a payload that was consumed, or that nobody could tell from one; it is for a newer one",
    () =>
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
  it.effect("that follows another state within the first 240 s is one", () =>
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
  it.effect("that may be left over, because comms was out at the launch, is none", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({
        world: { row: handoff },
        history: [history.confirmed(null), history.started()]
      })
      yield* until(600)
      assert.deepStrictEqual(yield* told, [])
    })
  )
  it.effect("is seen by a watcher that replaced another, though only the first saw another state at a poll", () =>
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

describe("heartbeat-only", () => {
  const unresolved = [
    history.confirmed(),
    history.started(1, true),
    Event.SessionIdFound.make({ at: begun, watcher: 1, sessionId: "s7" }),
    Event.ConductorUnresolved.make({ at: begun, watcher: 1, sessionId: "s7" }),
    { ...history.started(2), mode: "heartbeat-only" as const }
  ]
  it.effect("asks for no process; a heartbeat that is too old is a death all the same", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { condition: "gone" }, history: unresolved })
      yield* until(600)
      assert.deepStrictEqual([yield* told, world.processes.probes], [[], []])
      world.row = { ...world.row!, heartbeat: formatTime(begun + 600_000) }
      yield* until(900)
      const [died] = yield* told
      assert.strictEqual(
        died?._tag === "ConductorDied" ? `${died.cause} ${died.evidence.process}` : died?._tag,
        "heartbeat unknown"
      )
    })
  )
  it.effect("ends when a live process holds the session: that one is watched", () =>
    Effect.gen(function* () {
      const { ref, told, world } = yield* watching({ history: unresolved })
      yield* until(300)
      world.hold("s7", 80)
      yield* until(360)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorResolved", "WatcherStarted"])
      assert.deepInclude(yield* ref.state, { conductor: { ...conductor, pid: 80 }, mode: "normal", generation: 1 })
    })
  )
  it.effect("a process that is no agent holds no session, whatever a pid file says: it would be stopped one day", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { words: ["/usr/bin/postgres"] }, history: unresolved })
      world.hold("s7", 80)
      yield* until(360)
      assert.deepStrictEqual(tagsOf(yield* told), [])
    })
  )
})

describe("awaiting a session id", () => {
  const awaiting = [history.confirmed(), history.started(1, true)]
  const row = (sessionId: string | null) => ({
    state: "working",
    sessionId,
    heartbeat: (now: number) => formatTime(now)
  })
  it.effect("finds one that is new and whose file exists", () =>
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
  it.effect(
    "looks once who holds a session that is not the launched one: another process is the Conductor, or nobody is known",
    () =>
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
  it.effect("takes who has the Conductor's pid by now for another process", () =>
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
  it.effect("finds none that began in another project, whoever holds it, and tells that once", () =>
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
  it.effect("takes one whose file does not say where it began from a live holder in the watch's project", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: row("s7") }, history: awaiting })
      world.agent.files!.add("s7")
      world.hold("s7", 80)
      world.agent.began.set("s7", undefined)
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "ConductorResolved", "WatcherStarted"])
    })
  )
  it.effect("finds the one that the launch asked for", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({ history: awaiting })
      yield* until(240)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
    })
  )
  it.effect(
    "finds none that is empty, that has no file, or that an earlier generation had, in whole or by its beginning",
    () =>
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
  it.effect("that is over takes no further id", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: row("s7") } })
      world.agent.files!.add("s7")
      yield* until(600)
      assert.deepStrictEqual(yield* told, [])
    })
  )
})

describe("standing by", () => {
  const standby = [history.confirmed(), history.closed, history.started(2)]
  it.effect("suppresses deaths and handoffs, and honours completion", () =>
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
  it.effect("takes a live holder whose heartbeat is new for its Conductor, and no session that only compacts", () =>
    Effect.gen(function* () {
      for (const [words, tags] of [
        [["claude", "--resume", "s1", "--", compactPrompt], []],
        [
          ["claude", "--resume", "s1", "--", "go on"],
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
  it.effect(
    "takes no heartbeat for new that it has not seen to change: a clock that was ahead may have written it before the closing",
    () =>
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
  it.effect("goes on beating", () =>
    Effect.gen(function* () {
      const { lastBeat } = yield* watching({ world: { condition: "gone" }, history: standby })
      yield* until(1000)
      assert.deepStrictEqual(yield* lastBeat, Option.some("watcher/2 at 960"))
    })
  )
})

describe("solo", () => {
  it.effect(
    "an agent that ends by itself after a finished turn has completed; one that is gone in its turn is dead",
    () =>
      Effect.gen(function* () {
        for (const [turnFinished, tag] of [
          [true, "ConductorCompleted"],
          [false, "ConductorDied"]
        ] as const) {
          const { told, world } = yield* watching({ world: { solo: true, turnFinished } })
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* told, [])
          world.condition = "gone"
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* told)[0]?._tag, tag)
        }
      })
  )
  it.effect("a command that was run again has no hand-off to take, and no session that could hang", () =>
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
  it.effect("a command has completed by exit code 0 alone; any other, and one that nobody saw, is a death", () =>
    Effect.gen(function* () {
      for (const [exitCode, tag] of [
        [0, "ConductorCompleted"],
        [1, "ConductorDied"],
        [137, "ConductorDied"],
        [undefined, "ConductorDied"]
      ] as const) {
        const { told, world } = yield* watching({
          world: { solo: true, kind: "command", exitCode, turnFinished: true }
        })
        world.condition = "zombie"
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* told)[0]?._tag, tag)
      }
    })
  )
  it.effect("watches the process alone", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true } })
      yield* until(7200)
      assert.deepStrictEqual(yield* told, [])
      world.condition = "gone"
      yield* TestClock.adjust("1 second")
      const [died] = yield* told
      assert.deepStrictEqual(died?._tag === "ConductorDied" ? [died.cause, died.evidence.heartbeat] : [], ["pid", null])
    })
  )
})

it.effect("reads everything first and exits once, at once, with the task count", () =>
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
