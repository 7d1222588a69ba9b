import { assert, describe, it } from "@effect/vitest"
import { deathInWords, Event, formatTime, type TurnState } from "@souffleur/domain"
import { begun, until } from "@souffleur/testing"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { conductor, history, watching, type World } from "./WatcherWorld.ts"

const tagsOf = (events: ReadonlyArray<{ readonly _tag: string }>) => events.map(({ _tag }) => _tag)
/** A moment of the watch, in its seconds, as epoch ms. */
const at = (second: number) => begun + second * 1000
const session = (turn: TurnState, tokens?: number): NonNullable<World["signs"]> => ({
  writtenAt: turn.at,
  turn,
  context: tokens === undefined ? undefined : { tokens, window: 200_000, model: "claude", at: turn.at }
})
const tool = (second: number, limit = 600_000) =>
  session({ _tag: "Tool", at: at(second), name: "Bash", limit, spawns: true })
const silent = { state: "working", sessionId: "s1", heartbeat: formatTime(begun) } as const

describe("behaviour#excuses", () => {
  it.effect(
    "an old heartbeat does not kill while a tool has its time, which is reported once, and kills after it",
    () =>
      Effect.gen(function* () {
        const { told } = yield* watching({ world: { row: { ...silent }, signs: tool(200, 600_000) } })
        yield* until(781)
        const [deferred, ...more] = yield* told
        assert.deepInclude(deferred, {
          _tag: "KillDeferred",
          message: "the tool Bash was called and has no result yet",
          until: at(800)
        })
        assert.deepStrictEqual(more, [])
        yield* until(841)
        const [, died] = yield* told
        assert.deepInclude(died, { _tag: "ConductorDied", reason: "heartbeat" })
        if (died?._tag === "ConductorDied") {
          assert.deepStrictEqual(died.evidence.signs, [
            { source: "session file", says: "a tool runs: Bash", age: 640_000 }
          ])
        }
      })
  )
  it.effect(
    "an old heartbeat does not kill during a retry of the service; a call or a stopped process has no excuse",
    () =>
      Effect.gen(function* () {
        const retrying = session({
          _tag: "Retrying",
          at: at(230),
          attempt: 2,
          attempts: 10,
          nextAt: at(260),
          resetsAt: undefined
        })
        const retries = yield* watching({ world: { row: { ...silent }, signs: retrying } })
        yield* until(301)
        assert.deepStrictEqual(tagsOf(yield* retries.told), ["KillDeferred"])
        for (const world of [
          { signs: session({ _tag: "Asked", at: at(230) }) },
          { signs: tool(230), condition: "stopped" as const },
          { signs: tool(230), children: 0 },
          { signs: tool(230, 0) },
          { signs: undefined }
        ]) {
          yield* TestClock.setTime(begun)
          const { told } = yield* watching({ world: { row: { ...silent }, ...world } })
          yield* until(301)
          assert.deepInclude((yield* told)[0], { _tag: "ConductorDied", reason: "heartbeat" })
        }
      })
  )
  it.effect("an old heartbeat is excused by a tool that works, beyond the limit that is known of it", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { row: { ...silent }, signs: tool(200) } })
      let used = 0
      world.processes.run({ ...world.processes.table.get(5000)!, processor: () => (used += 100) })
      yield* until(5400)
      assert.deepStrictEqual(tagsOf(yield* told), ["KillDeferred"])
    })
  )
  it.effect("a tool of the process before is no excuse: it ended with that process, without a result", () =>
    Effect.gen(function* () {
      for (const [turnBefore, tag] of [
        [at(-100), "ConductorDied"],
        [at(-200), "KillDeferred"]
      ] as const) {
        yield* TestClock.setTime(begun)
        const launched = [{ ...history.prepared, turnBefore }, history.confirmed(), history.started()]
        const { told } = yield* watching({ history: launched, world: { row: { ...silent }, signs: tool(-100) } })
        yield* until(301)
        assert.strictEqual(tagsOf(yield* told)[0], tag)
      }
    })
  )
  it.effect("an old heartbeat gets the whole time again when its excuse is over: it could not beat meanwhile", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({
        world: {
          row: { ...silent },
          signs: tool(100),
          pidFile: { status: "waiting", waitingFor: "permission prompt", writtenAt: at(100) }
        }
      })
      yield* until(901)
      // A person came, the tool has run, and the model is asked: no beat yet.
      Object.assign(world, {
        pidFile: { status: "busy", writtenAt: at(910) },
        signs: session({ _tag: "Asked", at: at(950) })
      })
      yield* until(1200)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited", "PersonCame"])
      yield* until(1261)
      assert.deepInclude((yield* told)[2], { _tag: "ConductorDied", reason: "heartbeat" })
    })
  )
  it.effect("an answered person gives the heartbeat the whole time again, and an allowed tool its time from then", () =>
    Effect.gen(function* () {
      const waiting = { status: "waiting", waitingFor: "permission prompt", writtenAt: at(100) }
      for (const { limit, dies } of [
        { limit: 0, dies: 1261 },
        { limit: 600_000, dies: 1561 }
      ]) {
        yield* TestClock.setTime(begun)
        const { told, world } = yield* watching({
          world: { row: { ...silent }, signs: tool(100, limit), pidFile: waiting }
        })
        yield* until(901)
        Object.assign(world, { pidFile: { status: "busy", waitingFor: undefined, writtenAt: at(910) } })
        yield* until(dies - 60)
        assert.notInclude(tagsOf(yield* told), "ConductorDied")
        yield* until(dies)
        assert.include(tagsOf(yield* told), "ConductorDied")
      }
    })
  )
})

describe("behaviour#waiting-for-a-person", () => {
  it.effect("an old heartbeat does not kill while a person is awaited, who is told once, and again at the end", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({
        world: {
          row: { ...silent },
          pidFile: { status: "waiting", waitingFor: "permission prompt", writtenAt: at(100) }
        }
      })
      yield* until(1000)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited"])
      assert.deepInclude((yield* told)[0], { for: "permission prompt" })
      Object.assign(world, {
        pidFile: { status: "busy", writtenAt: at(1000) },
        row: { ...silent, heartbeat: formatTime(at(1010)) }
      })
      yield* until(1081)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited", "PersonCame"])
    })
  )
  it.effect("a Conductor that asks for its user before it exits waits for a person, who is told once", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching()
      Object.assign(world.row!, { state: "exit_requested" })
      yield* until(700)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited"])
      Object.assign(world.row!, { state: "working" })
      yield* until(1000)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited", "PersonCame"])
    })
  )
  it.effect("an agent that begins no session in its window waits for a person, who is told once", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const nameless = { ...history.confirmed(), sessionId: "" }
      const printing = yield* watching({
        history: [history.prepared, { ...nameless, print: true }, history.started()],
        world: { solo: true, reports: () => undefined }
      })
      const { told } = yield* watching({
        history: [history.prepared, nameless, history.started()],
        world: { solo: true, reports: () => begun[0] }
      })
      yield* until(361)
      assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited"])
      assert.deepInclude((yield* told)[0], { for: "an answer before its first turn" })
      assert.deepStrictEqual(yield* printing.told, [])
      begun.push("s7")
      yield* until(600)
      assert.include(tagsOf(yield* told), "SessionIdFound")
    })
  )
  it.effect("a question before the first turn is told within a minute, of a first launch and of a successor", () =>
    Effect.gen(function* () {
      const launch = history.prepared.launchId
      const order = { id: launch, command: { program: "/bin/agent", args: [], environment: {} }, cwd: "/p", title: "" }
      const first = (prompt?: string) =>
        watching({
          history: [{ ...history.prepared, digest: `digest of ${launch}` }, history.confirmed(), history.started()],
          world: {
            solo: true,
            sessionFiles: new Set(),
            prepared: [prompt === undefined ? order : { ...order, prompt }]
          }
        })
      // Its file has the turn of the generation before, and nothing tells that it is at work.
      const resumed = yield* watching({
        history: [history.confirmed(), history.started(), { ...history.relaunched, at: at(10) }, history.started(2)],
        world: { solo: true, signs: tool(-700) }
      })
      const asked = yield* first("Do the work.")
      const waits = yield* first()
      yield* until(59)
      assert.deepStrictEqual(yield* asked.told, [])
      yield* until(71)
      for (const { told } of [asked, resumed]) {
        assert.deepStrictEqual(tagsOf(yield* told), ["PersonAwaited"])
        assert.deepInclude((yield* told)[0], { for: "an answer before its first turn" })
      }
      asked.world.signs = session({ _tag: "Asked", at: at(80) })
      yield* until(899)
      assert.deepStrictEqual(tagsOf(yield* asked.told), ["PersonAwaited", "PersonCame"])
      // It is no hang: another launch would ask again. A person types the first prompt of a launch without one.
      assert.deepStrictEqual(tagsOf(yield* resumed.told), ["PersonAwaited"])
      assert.deepStrictEqual(yield* waits.told, [])
    })
  )
  it.effect("with comms such a question of a successor is told too, and excuses its heartbeat for a quarter hour", () =>
    Effect.gen(function* () {
      const successor = [
        history.confirmed(),
        history.started(),
        { ...history.relaunched, at: begun },
        history.started(2)
      ]
      const before = { state: "working", heartbeat: formatTime(begun - 60_000), sessionId: "s1" }
      const silent = yield* watching({ history: successor, world: { signs: tool(-700), row: { ...before } } })
      const answered = yield* watching({ history: successor, world: { signs: tool(-700), row: { ...before } } })
      const beats = yield* watching({ history: successor, world: { signs: tool(-700), row: { ...before } } })
      Object.assign(beats.world.row!, { heartbeat: formatTime })
      yield* until(59)
      assert.deepStrictEqual(yield* silent.told, [])
      yield* until(71)
      assert.deepStrictEqual(tagsOf(yield* silent.told), ["PersonAwaited"])
      assert.deepInclude((yield* silent.told)[0], { for: "an answer before its first turn" })
      yield* until(601)
      answered.world.signs = session({ _tag: "Asked", at: at(600) })
      yield* until(781)
      // After the answer it has its whole time to beat.
      assert.deepStrictEqual(
        tagsOf(yield* answered.told).filter((tag) => tag !== "KillDeferred"),
        ["PersonAwaited", "PersonCame"]
      )
      assert.notInclude(tagsOf(yield* silent.told), "ConductorDied")
      yield* until(1021)
      for (const { told } of [silent, answered])
        assert.deepInclude(
          (yield* told).find(({ _tag }) => _tag === "ConductorDied"),
          { reason: "heartbeat" }
        )
      // It is at work, whatever its session file says.
      assert.deepStrictEqual(yield* beats.told, [])
    })
  )
  it.effect("an agent whose turn failed at its prompt waits for a person, who is told at the first look", () =>
    Effect.gen(function* () {
      const failed = session({ _tag: "Failed", at: at(10), reason: "other", resetsAt: undefined, words: "No key." })
      const before = session({ _tag: "Failed", at: at(-10), reason: "other", resetsAt: undefined, words: "No key." })
      const refused = session({ _tag: "Failed", at: at(10), reason: "login", resetsAt: undefined, words: "401" })
      for (const [signs, events, heard] of [
        [failed, [history.prepared, history.confirmed(), history.started()], ["its turn failed"]],
        // It may fail before its launch is confirmed.
        [failed, [history.prepared, { ...history.confirmed(), at: at(20) }, history.started()], ["its turn failed"]],
        [before, [{ ...history.prepared, turnBefore: at(-10) }, history.confirmed(), history.started()], []],
        [failed, [history.prepared, { ...history.confirmed(), print: true }, history.started()], []],
        [refused, [history.prepared, history.confirmed(), history.started()], ["its login: the service refuses it"]],
        // The process ends by itself, and its end is told.
        [refused, [history.prepared, { ...history.confirmed(), print: true }, history.started()], []]
      ] as const) {
        yield* TestClock.setTime(begun)
        const { told } = yield* watching({ history: events, world: { solo: true, signs } })
        yield* until(241)
        const awaited = (yield* told).filter(({ _tag }) => _tag === "PersonAwaited")
        assert.deepStrictEqual(
          awaited.flatMap((event) => ("for" in event ? [event.for] : [])),
          [...heard]
        )
      }
    })
  )
})

describe("behaviour#idle", () => {
  const finished = (second: number) => session({ _tag: "Finished", at: at(second) })
  const launched = [history.prepared, history.confirmed(), history.started()]
  const byHand = [history.confirmed(), history.started()]

  it.effect(
    "an agent whose turn is over is idle before the first poll, is told once, and again after another turn",
    () =>
      Effect.gen(function* () {
        for (const events of [launched, byHand]) {
          yield* TestClock.setTime(begun)
          const { told, world } = yield* watching({ history: events, world: { solo: true, signs: finished(30) } })
          yield* until(89)
          assert.deepStrictEqual(yield* told, [])
          yield* until(121)
          assert.deepInclude((yield* told)[0], { _tag: "ConductorIdle", since: at(30), again: false })
          // Hours at its prompt are no hang, and no news.
          yield* until(36_000)
          assert.lengthOf(yield* told, 1)
          world.signs = session({ _tag: "Asked", at: at(36_010) })
          yield* until(36_100)
          world.signs = finished(36_110)
          yield* until(36_300)
          assert.deepStrictEqual(tagsOf(yield* told), ["ConductorIdle", "ConductorBusy", "ConductorIdle"])
          assert.deepInclude((yield* told)[2], { since: at(36_110), again: false })
        }
      })
  )
  it.effect(
    "an agent that works on behind a finished turn is busy, and its next rest after that same turn is no news",
    () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ history: byHand, world: { solo: true, signs: finished(200) } })
        yield* until(301)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorIdle"])
        world.pidFile = { status: "busy", waitingFor: undefined, writtenAt: at(310) }
        yield* until(361)
        world.pidFile = { status: "idle", waitingFor: undefined, writtenAt: at(370) }
        yield* until(500)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorIdle", "ConductorBusy", "ConductorIdle"])
        assert.deepInclude((yield* told)[2], { again: true })
      })
  )
  it.effect("an agent that waits for its first words is idle by its pid file", () =>
    Effect.gen(function* () {
      const pidFile = { status: "idle", waitingFor: undefined, writtenAt: at(1) }
      const { told } = yield* watching({ history: launched, world: { solo: true, pidFile } })
      yield* until(121)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorIdle"])
    })
  )
  it.effect("a person who is awaited outranks it, and what it does after the answer is busy", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ history: byHand, world: { solo: true, signs: finished(200) } })
      yield* until(301)
      world.pidFile = { status: "waiting", waitingFor: "permission prompt", writtenAt: at(310) }
      yield* until(421)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorIdle", "PersonAwaited"])
      world.pidFile = { status: "idle", waitingFor: undefined, writtenAt: at(430) }
      yield* until(541)
      assert.deepStrictEqual(tagsOf(yield* told).slice(2), ["PersonCame", "ConductorIdle"])
    })
  )
  it.effect("no agent is idle with comms, in print mode, by the turn of an earlier generation, or while it works", () =>
    Effect.gen(function* () {
      const print = [history.prepared, { ...history.confirmed(), print: true }, history.started()]
      const earlier = [{ ...history.prepared, turnBefore: at(-100) }, history.confirmed(), history.started()]
      const busy = { status: "busy", waitingFor: undefined, writtenAt: at(100) }
      for (const [events, world] of [
        [print, { solo: true, signs: finished(100) }],
        [launched, { solo: false, signs: finished(100) }],
        [earlier, { solo: true, signs: finished(-100) }],
        [byHand, { solo: true, signs: finished(100), pidFile: busy }],
        [byHand, { solo: true, signs: tool(100), pidFile: { ...busy, status: "idle", writtenAt: at(90) } }]
      ] as const) {
        yield* TestClock.setTime(begun)
        const { told } = yield* watching({ history: events, world })
        yield* until(1000)
        assert.notInclude(tagsOf(yield* told), "ConductorIdle")
      }
    })
  )
})

describe("behaviour#verdicts", () => {
  describe("without comms", () => {
    it.effect(
      "silence of every sign for longer than calls may stall is a hang; idleness after a finished turn never is",
      () =>
        Effect.gen(function* () {
          const pidFile = { status: "busy", waitingFor: undefined, writtenAt: 0 }
          const hung = yield* watching({ world: { solo: true, signs: session({ _tag: "Asked", at: at(0) }), pidFile } })
          // Three stalls in a row leave no record.
          yield* until(1083)
          assert.deepStrictEqual(yield* hung.told, [])
          yield* until(1141)
          assert.deepInclude((yield* hung.told)[0], { _tag: "ConductorDied", reason: "hang" })
          yield* TestClock.setTime(begun)
          const idle = yield* watching({ world: { solo: true, signs: session({ _tag: "Finished", at: at(0) }) } })
          yield* until(36_000)
          assert.deepStrictEqual(tagsOf(yield* idle.told), ["ConductorIdle"])
        })
    )
    it.effect("a tool that works for longer than its known limit is no hang, and one that stops working is", () =>
      Effect.gen(function* () {
        const pidFile = { status: "busy", waitingFor: undefined, writtenAt: 0 }
        const { told, world } = yield* watching({ world: { solo: true, signs: tool(0), pidFile } })
        let used = 0
        const build = (processor: () => number) =>
          world.processes.run({ ...world.processes.table.get(5000)!, name: "make", processor })
        build(() => (used += 100))
        yield* until(5400)
        assert.deepStrictEqual(yield* told, [])
        build(() => used)
        yield* until(5821)
        assert.deepStrictEqual(yield* told, [])
        yield* until(5881)
        const [died] = yield* told
        assert.deepInclude(died, { _tag: "ConductorDied", reason: "hang" })
        if (died?._tag !== "ConductorDied") return
        assert.include(
          deathInWords(died),
          "silent for 1 h 38 m, and its tool last used the processor 7 m 0 s ago",
          "it did not do nothing"
        )
      })
    )
    it.effect("an agent that may be silent for longer hangs later, unless a setting names the time", () =>
      Effect.gen(function* () {
        const pidFile = { status: "busy", waitingFor: undefined, writtenAt: 0 }
        const silence = { solo: true, signs: session({ _tag: "Asked", at: at(0) }), pidFile } as const
        const slow = yield* watching({ world: { ...silence, stall: Duration.seconds(702) } })
        yield* until(2100)
        assert.deepStrictEqual(yield* slow.told, [])
        yield* until(2161)
        assert.deepInclude((yield* slow.told)[0], { _tag: "ConductorDied", reason: "hang" })
        yield* TestClock.setTime(begun)
        const set = yield* watching({
          world: { ...silence, stall: Duration.seconds(702) },
          settings: { stallAfter: Duration.seconds(361) }
        })
        yield* until(1141)
        assert.deepInclude((yield* set.told)[0], { _tag: "ConductorDied", reason: "hang" })
      })
    )
    it.effect(
      "a process that uses no processor hangs after one stall; any use, or a break in polling, restarts that time",
      () =>
        Effect.gen(function* () {
          const signs = session({ _tag: "Asked", at: at(0) })
          // Looked at from 240 s on, each minute.
          const still = yield* watching({ world: { solo: true, signs, processor: () => 7 } })
          yield* until(659)
          assert.deepStrictEqual(yield* still.told, [])
          yield* until(661)
          const [died] = yield* still.told
          assert.deepInclude(died, { _tag: "ConductorDied", reason: "hang" })
          if (died?._tag === "ConductorDied")
            assert.deepInclude(died.evidence.signs, { source: "processor", says: "not used", age: 420_000 })

          yield* TestClock.setTime(begun)
          let ticks = 0
          const busy = yield* watching({
            world: { solo: true, signs, processor: () => Math.floor(++ticks / 5) }
          })
          yield* until(1083)
          assert.deepStrictEqual(yield* busy.told, [])

          yield* TestClock.setTime(begun)
          const broken = yield* watching({ world: { solo: true, signs, processor: () => 7 } })
          yield* until(601)
          broken.world.wallJump = 3000
          yield* until(1021)
          assert.deepStrictEqual(yield* broken.told, [])
          yield* until(1081)
          assert.deepInclude((yield* broken.told)[0], { _tag: "ConductorDied", reason: "hang" })
        })
    )
  })
})

describe("behaviour#standby", () => {
  describe("without comms", () => {
    it.effect("a standby ends when its session file is written again by a live process that holds it", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({
          world: {
            solo: true,
            signs: session({ _tag: "Asked", at: at(-10) }),
            pidFile: { status: "busy", waitingFor: undefined, writtenAt: 0 }
          },
          history: [history.confirmed(), history.closed, history.started(2)]
        })
        yield* until(301)
        assert.deepStrictEqual(yield* told, [])
        world.signs = session({ _tag: "Asked", at: at(310) })
        yield* until(361)
        assert.deepStrictEqual(tagsOf(yield* told), ["ConductorAdopted", "WatcherStarted"])
      })
    )
  })
})

const limited = (second: number, resetsAt?: number) =>
  session({
    _tag: "Failed",
    at: at(second),
    reason: "usage-limit",
    resetsAt: resetsAt === undefined ? undefined : at(resetsAt)
  })

const waiting = (world: Partial<World>, kind?: "usage-limit" | "quiet-hours") =>
  watching({ world, history: [history.confirmed(), history.waiting(at(5000), kind), history.started(2)] })

describe("behaviour#limits-and-waits", () => {
  it.effect("a limit is waited out until it resets and is no death, even when the process ended with it", () =>
    Effect.gen(function* () {
      for (const condition of ["gone", "running"] as const) {
        yield* TestClock.setTime(begun)
        const { told } = yield* watching({ world: { condition, signs: limited(100, 5000) } })
        yield* until(301)
        assert.deepInclude((yield* told)[0], {
          _tag: "WaitStarted",
          kind: "usage-limit",
          until: at(5000),
          resetsAt: at(5000),
          trigger: "limit"
        })
        assert.deepStrictEqual(tagsOf(yield* told), ["WaitStarted", "WatcherStarted"])
      }
    })
  )
  it.effect("a limit of an earlier generation does not count", () =>
    Effect.gen(function* () {
      const { told } = yield* watching({ world: { signs: limited(-1, 5000) } })
      yield* until(601)
      assert.deepStrictEqual(yield* told, [])
    })
  )
  it.effect("a limit ends exactly at its reset, by one resume, though the process is gone", () =>
    Effect.gen(function* () {
      const { told } = yield* waiting({ condition: "gone", signs: limited(-10, 5000) })
      yield* until(4999)
      assert.deepStrictEqual(yield* told, [])
      yield* until(5000)
      assert.deepStrictEqual(tagsOf(yield* told), ["WaitEnded", "RecoveryStarted"])
      assert.deepInclude((yield* told)[1], { trigger: "limit", purpose: "relaunch" })
    })
  )
  it.effect("a limit ends at its reset, not a poll later, where the timer rings a millisecond early", () =>
    Effect.gen(function* () {
      const { told, world } = yield* waiting({ signs: limited(-10, 5000) })
      world.wallJump = -1
      yield* until(5000)
      assert.deepStrictEqual(yield* told, [])
      yield* until(5000.001)
      assert.deepStrictEqual(tagsOf(yield* told), ["WaitEnded", "RecoveryStarted"])
    })
  )
  it.effect("the margin of a limit is a fifth shorter or longer at most", () =>
    Effect.gen(function* () {
      const settings = { limitMargin: Duration.seconds(100) }
      const { told } = yield* watching({ world: { signs: limited(1, 5000) }, settings })
      yield* until(301)
      const [wait] = yield* told
      const margin = wait?._tag === "WaitStarted" ? wait.until - at(5000) : 0
      assert.isTrue(margin >= 80_000 && margin <= 120_000, `${margin} ms`)
    })
  )
  it.effect("a limit ends sooner when the Conductor goes on by itself, and later when its end has moved", () =>
    Effect.gen(function* () {
      const went = yield* waiting({ signs: session({ _tag: "Asked", at: at(250) }) })
      yield* until(301)
      assert.deepInclude((yield* went.told)[0], { _tag: "WaitEnded", how: "went on" })
      assert.deepStrictEqual(tagsOf(yield* went.told), ["WaitEnded", "WatcherStarted"])
      yield* TestClock.setTime(begun)
      const moved = yield* waiting({ signs: limited(300, 9000) })
      yield* until(5001)
      assert.deepInclude((yield* moved.told)[0], { _tag: "WaitStarted", until: at(9000) })
    })
  )
  it.effect("a limit gives way to completion", () =>
    Effect.gen(function* () {
      const { told, world } = yield* waiting({ signs: limited(-10, 5000) })
      Object.assign(world.row!, { state: "complete" })
      yield* until(241)
      assert.deepStrictEqual(tagsOf(yield* told), ["ConductorCompleted"])
    })
  )
})

describe("behaviour#words-of-the-agent", () => {
  it.effect("a limit gives way to a hand-off that the Conductor asks for in comms", () =>
    Effect.gen(function* () {
      for (const kind of ["usage-limit", "quiet-hours"] as const) {
        yield* TestClock.setTime(begun)
        const { told, world } = yield* waiting({ signs: limited(-10, 5000) }, kind)
        Object.assign(world.row!, { state: "context_recovery" })
        yield* until(241)
        assert.deepStrictEqual(tagsOf(yield* told), ["ContextRecoveryRequested", "WaitEnded", "RecoveryStarted"])
        assert.deepInclude((yield* told)[1], { how: "asked" })
        assert.deepInclude((yield* told)[2], { trigger: "handoff" })
      }
    })
  )
  it.effect("a limit that a hand-off itself waits out does not give way to the same request", () =>
    Effect.gen(function* () {
      const waits = { ...history.waiting(at(5000), "quiet-hours"), trigger: "handoff" as const }
      const { told, world } = yield* watching({ history: [history.confirmed(), waits, history.started(2)] })
      Object.assign(world.row!, { state: "context_recovery" })
      yield* until(4999)
      assert.deepStrictEqual(yield* told, [])
      yield* until(5000)
      assert.deepStrictEqual(tagsOf(yield* told), ["WaitEnded", "RecoveryStarted"])
    })
  )
})

describe("behaviour#context-exhaustion", () => {
  it.effect("a conversation that no longer fits is no death by its process, and carries the context in use", () =>
    Effect.gen(function* () {
      const failed = session({ _tag: "Failed", at: at(100), reason: "prompt-too-long", resetsAt: undefined }, 199_000)
      const { told } = yield* watching({ world: { condition: "gone", signs: failed } })
      yield* until(2)
      assert.deepStrictEqual(tagsOf(yield* told), ["ContextExhausted", "RecoveryStarted"])
      const [exhausted] = yield* told
      if (exhausted?._tag === "ContextExhausted") assert.strictEqual(exhausted.evidence.contextTokens, 199_000)
    })
  )
})

describe("behaviour#hand-off", () => {
  describe("a successor", () => {
    const successor = (world: Partial<World>) =>
      watching({
        world: { solo: true, ...world },
        history: [history.confirmed(), history.relaunched, history.started(2)]
      })
    it.effect("a successor has taken its hand-off when its session says so, reported once with its first context", () =>
      Effect.gen(function* () {
        const context = { tokens: 31_000, window: undefined, model: "claude", at: at(20) }
        const { told, world } = yield* successor({
          signs: session({ _tag: "Finished", at: at(20) }),
          taken: { at: at(20), context }
        })
        yield* until(5000)
        assert.strictEqual(world.agent.read.handoff, 1)
        // Then it waits at its prompt.
        assert.deepStrictEqual(tagsOf(yield* told), ["HandoffTaken", "ConductorIdle"])
        assert.deepInclude((yield* told)[0], {
          launchId: "w-g2-c1-6-launch-1",
          generation: 2,
          contextTokens: 31_000,
          contextWindow: null
        })
      })
    )
    it.effect("a hand-off that was taken is told within an interval, before the first poll", () =>
      Effect.gen(function* () {
        const { told } = yield* successor({
          signs: session({ _tag: "Asked", at: at(20) }),
          taken: { at: at(20), context: undefined }
        })
        yield* until(61)
        assert.deepStrictEqual(tagsOf(yield* told), ["HandoffTaken"])
      })
    )
    it.effect("a hand-off that is taken while a poll looks is told before the completion that the poll finds", () =>
      Effect.gen(function* () {
        const { told, world } = yield* successor({ solo: false, signs: session({ _tag: "Asked", at: at(20) }) })
        const { agent, comms } = world
        yield* until(299)
        // It answers and completes right after the poll asked whether it has answered.
        agent.taken = () => {
          world.taken = { at: at(300), context: undefined }
          comms.conductor.state = "complete"
          return undefined
        }
        yield* until(301)
        assert.deepStrictEqual(tagsOf(yield* told), ["HandoffTaken", "ConductorCompleted"])
      })
    )
    it.effect("a successor that beats is not judged by its hand-off", () =>
      Effect.gen(function* () {
        const { told } = yield* successor({ solo: false, signs: session({ _tag: "Finished", at: at(20) }) })
        yield* until(3000)
        assert.deepStrictEqual(yield* told, [])
      })
    )
    it.effect(
      "a successor that idles for a quarter of an hour without its hand-off is dead; a working one is not",
      () =>
        Effect.gen(function* () {
          const idle = yield* successor({ signs: session({ _tag: "Finished", at: at(20) }) })
          yield* until(900)
          assert.deepStrictEqual(yield* idle.told, [])
          yield* until(961)
          assert.deepInclude((yield* idle.told)[0], { _tag: "ConductorDied", reason: "untaken" })
          yield* TestClock.setTime(begun)
          const { told } = yield* successor({ signs: tool(20, 7_200_000) })
          yield* until(3000)
          assert.deepStrictEqual(yield* told, [])
        })
    )
    const mute = () => ({ sessionFiles: new Set<string>() })
    it.effect("a successor with only a process, no session file and no word of its own, is dead as well", () =>
      Effect.gen(function* () {
        for (const world of [
          mute(),
          { ...mute(), solo: false, row: { state: "working", heartbeat: null, sessionId: null } }
        ]) {
          yield* TestClock.setTime(begun)
          const silent = yield* successor(world)
          yield* until(900)
          const alone = (yield* silent.told).filter(({ _tag }) => _tag !== "PersonAwaited")
          assert.deepStrictEqual(alone, [])
          yield* until(961)
          const died = (yield* silent.told).find(({ _tag }) => _tag === "ConductorDied")
          assert.deepInclude(died, { reason: "untaken" })
        }
      })
    )
    it.effect("a successor with any sign, or with an unreadable file, is not judged as mute", () =>
      Effect.gen(function* () {
        const now = { status: "busy", waitingFor: undefined, writtenAt: at(10) }
        const words: ReadonlyArray<Partial<World>> = [
          // Its file is there, and says nothing.
          {},
          { ...mute(), hooked: at(10) },
          { ...mute(), beat: at(10) },
          { ...mute(), pidFile: { ...now, status: "waiting" } },
          // It holds another session: that one has the conversation.
          { ...mute(), holders: new Map([["s7", conductor.pid]]) },
          { ...mute(), solo: false },
          // Without comms its beats are unknown.
          { ...mute(), solo: false, row: undefined },
          // No command has a session.
          { ...mute(), kind: "command" }
        ]
        for (const world of words) {
          yield* TestClock.setTime(begun)
          const { told } = yield* successor(world)
          yield* until(3000)
          assert.notInclude(tagsOf(yield* told), "ConductorDied", JSON.stringify(world))
        }
      })
    )
  })
})

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("a session that the hooks of the process name is watched from then on", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true } })
      yield* until(301)
      assert.deepStrictEqual(yield* told, [])
      world.holds = "s2"
      yield* until(361)
      // Before its first word: there is no file yet.
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
      assert.deepInclude((yield* told)[0], { sessionId: "s2" })
    })
  )
  it.effect("without hooks, a session that the process's own pid file names is watched once it has a file", () =>
    Effect.gen(function* () {
      const { told, world } = yield* watching({ world: { solo: true } })
      world.hold("s2", conductor.pid)
      yield* until(301)
      assert.deepStrictEqual(yield* told, [])
      world.agent.files!.add("s2")
      yield* until(361)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
      assert.deepInclude((yield* told)[0], { sessionId: "s2" })
    })
  )
  it.effect("hooks outrank the pid file, and a kill leaves it behind with the session that was held", () =>
    Effect.gen(function* () {
      const hooked = yield* watching({ world: { solo: true, holds: "s1", sessionFiles: new Set(["s1", "s2"]) } })
      hooked.world.agent.left.set(conductor.pid, "s2")
      yield* until(361)
      assert.deepStrictEqual(yield* hooked.told, [])
      yield* TestClock.setTime(begun)
      const killed = yield* watching({ world: { solo: true, sessionFiles: new Set(["s1", "s2"]) } })
      yield* until(301)
      killed.world.agent.left.set(conductor.pid, "s2")
      killed.world.condition = "gone"
      yield* until(303)
      assert.deepStrictEqual(tagsOf(yield* killed.told), ["SessionIdFound", "WatcherStarted"])
      assert.deepInclude((yield* killed.told)[0], { sessionId: "s2" })
    })
  )
  it.effect("another project's session is not taken from the hooks, and is reported once", () =>
    Effect.gen(function* () {
      for (const elsewhere of ["/secret", "/p2"]) {
        const { told, world } = yield* watching({ world: { solo: true, holds: "s2" } })
        world.agent.files!.add("s2")
        world.agent.began.set("s2", elsewhere)
        yield* until(601)
        assert.deepStrictEqual(tagsOf(yield* told), ["WordRefused"])
        assert.deepInclude((yield* told)[0], { what: "session" })
        // Its agent may have gone to a folder of the project.
        world.agent.began.set("s2", "/p/nested")
        yield* until(661)
        assert.deepStrictEqual(tagsOf(yield* told), ["WordRefused", "SessionIdFound", "WatcherStarted"])
      }
    })
  )
})

describe("behaviour#who-holds-a-session", () => {
  it.effect("a session that began just before the death is reported once, before the death", () =>
    Effect.gen(function* () {
      const died = { holds: "s2", condition: "gone" } as const
      const { told, world } = yield* watching({ world: { solo: true } })
      yield* until(301)
      Object.assign(world, died)
      yield* until(303)
      assert.deepStrictEqual(tagsOf(yield* told), ["SessionIdFound", "WatcherStarted"])
      const found = Event.SessionIdFound.make({ at: begun, watcher: 1, sessionId: "s2" })
      yield* TestClock.setTime(begun)
      const next = yield* watching({
        world: { solo: true, ...died },
        history: [history.confirmed(), found, history.started(2)]
      })
      yield* until(2)
      assert.deepInclude((yield* next.told)[0], { _tag: "ConductorDied", reason: "pid" })
    })
  )
})

describe("behaviour#caps-of-the-user", () => {
  it.effect("a used-up cap holds the recovery of an agent back that is given up while it lives", () =>
    Effect.gen(function* () {
      const caps = [{ kind: "turns", flag: "--max-turns", limit: 3 }] as const
      for (const [turns, tags] of [
        [2, ["LimitForeseen", "ConductorDied", "RecoveryStarted"]],
        [3, ["CeilingReached", "ConductorDied", "RecoveryWithheld"]]
      ] as const) {
        yield* TestClock.setTime(begun)
        const { told } = yield* watching({ world: { row: silent, caps, turns } })
        yield* until(301)
        assert.deepStrictEqual<ReadonlyArray<string>>(tagsOf(yield* told).slice(0, tags.length), tags)
      }
    })
  )
  it.effect("a used-up cap withholds what a renewed login would begin for an agent at its prompt", () =>
    Effect.gen(function* () {
      const refused = { at: begun, cycle: 1, trigger: "limit", stage: "login", message: "" } as const
      const { told, world } = yield* watching({
        history: [history.confirmed(), Event.RecoveryWithheld.make(refused), history.started(2)],
        world: { caps: [{ kind: "turns", flag: "--max-turns", limit: 3 }], turns: 3 }
      })
      world.agent.loginWrittenAt = at(290)
      yield* until(310)
      assert.deepStrictEqual(tagsOf(yield* told).slice(0, 3), ["CeilingReached", "RecoveryRetried", "RecoveryWithheld"])
    })
  )
  it.effect("a used-up cap ends the rounds of an agent at its prompt whose work its program does not confirm", () =>
    Effect.gen(function* () {
      const caps = [{ kind: "turns", flag: "--max-turns", limit: 3 }] as const
      const checked = [
        Event.CheckStarted.make({ at: at(31), cycle: 1 }),
        Event.WorkChecked.make({ at: at(32), cycle: 1, code: 1, said: "2 failed\n" })
      ]
      for (const [turns, tags] of [
        [2, ["LimitForeseen", "EndedEarly", "RecoveryStarted"]],
        [3, ["CeilingReached", "EndedEarly", "RecoveryWithheld"]]
      ] as const) {
        yield* TestClock.setTime(begun)
        const { told } = yield* watching({
          history: [history.prepared, history.confirmed(), history.started(), ...checked, history.started(2)],
          settings: { until: ["/check"], rounds: 5 },
          world: { solo: true, signs: session({ _tag: "Finished", at: at(30) }), caps, turns }
        })
        yield* until(301)
        assert.deepStrictEqual<ReadonlyArray<string>>(tagsOf(yield* told).slice(0, tags.length), tags)
      }
    })
  )
})

describe("behaviour#limits-that-come", () => {
  it.effect("a usage limit of the agent's records is told once before it is reached, and the agent is left alone", () =>
    Effect.gen(function* () {
      const limit = { used: 60, span: 18_000_000, resetsAt: at(5 * 3600), at: begun }
      const of = (used: number, second: number) => ({
        ...session({ _tag: "Asked", at: at(second) }),
        limits: [{ ...limit, used, at: at(second) }]
      })
      const { ended, told, world } = yield* watching({ world: { signs: of(10, 290) } })
      yield* until(301)
      assert.deepStrictEqual(yield* told, [], "at a tenth")
      world.signs = of(60, 400)
      yield* until(421)
      world.signs = of(70, 460)
      yield* until(481)
      const [foreseen, ...more] = yield* told
      assert.deepInclude(foreseen, { _tag: "LimitForeseen", limit: "usage", used: 60, basis: "estimated" })
      assert.deepInclude(foreseen, { reachedAt: Math.round(begun + 400_000 / 0.6), resetsAt: at(5 * 3600) })
      assert.deepStrictEqual(more, [])
      assert.isFalse(yield* ended)
    })
  )
  it.effect("a cap of the user's own and the time of a job are told with what is used of them", () =>
    Effect.gen(function* () {
      const caps = [{ kind: "turns", flag: "--max-turns", limit: 10 }] as const
      const { told, world } = yield* watching({ world: { caps, turns: 8 }, settings: { maxTime: Duration.hours(1) } })
      yield* until(301)
      const [cap, ...none] = yield* told
      assert.deepInclude(cap, { limit: "turns", flag: "--max-turns", used: 8, of: 10, basis: "estimated" })
      assert.deepStrictEqual(none, [])
      world.turns = 9
      yield* until(1861)
      const [, time, ...more] = yield* told
      assert.deepInclude(time, { limit: "time", flag: null, reachedAt: at(3600), basis: "exact" })
      assert.deepStrictEqual(more, [])
    })
  )
})

describe("behaviour#ceilings-of-use", () => {
  describe("the ceiling of use and the quiet hours", () => {
    it.effect("tokens: their end is reported once, and no process is stopped", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ world: { spent: 99 }, settings: { maxTokens: 100 } })
        yield* until(301)
        assert.deepStrictEqual(tagsOf(yield* told), ["LimitForeseen"])
        world.spent = 120
        yield* until(3000)
        assert.deepStrictEqual(tagsOf(yield* told), ["LimitForeseen", "CeilingReached"])
        assert.deepInclude((yield* told)[1], { ceiling: "tokens", used: 120, limit: 100 })
        // The next watcher has nothing more to tell of it, nor to read.
        const reached = Event.CeilingReached.make({ at: begun, watcher: 1, ceiling: "tokens", used: 120, limit: 100 })
        yield* TestClock.setTime(begun)
        const next = yield* watching({
          world: { spent: 200 },
          history: [history.confirmed(), reached, history.started(2)],
          settings: { maxTokens: 100 }
        })
        yield* until(3000)
        assert.deepStrictEqual([yield* next.told, next.world.agent.read.spent], [[], 0])
      })
    )
    it.effect("dollars: their end is reported once, in hundredths, and no process is stopped", () =>
      Effect.gen(function* () {
        const { told, world } = yield* watching({ settings: { maxDollars: 2.5, maxTokens: 100 } })
        world.dollars = 2.49
        yield* until(301)
        assert.deepStrictEqual(tagsOf(yield* told), ["LimitForeseen"])
        world.dollars = 2.5
        yield* until(3000)
        assert.deepStrictEqual(tagsOf(yield* told), ["LimitForeseen", "CeilingReached"])
        assert.deepInclude((yield* told)[1], { ceiling: "dollars", used: 250, limit: 250 })
      })
    )
    it.effect("as much again, in advance or at the ceiling: the running watcher counts from then on", () =>
      Effect.gen(function* () {
        const { ref, told, world } = yield* watching({ settings: { maxTime: Duration.minutes(10) } })
        yield* until(500)
        yield* ref.dispatch({ _tag: "Retry", ceilings: true })
        yield* until(1099)
        const before = ["LimitForeseen", "AllowanceRenewed", "LimitForeseen"]
        assert.deepStrictEqual<ReadonlyArray<string>>(tagsOf(yield* told), before)
        yield* until(1141)
        assert.deepStrictEqual<ReadonlyArray<string>>(tagsOf(yield* told), [...before, "CeilingReached"])
        yield* ref.dispatch({ _tag: "Retry", ceilings: true })
        world.condition = "gone"
        yield* until(1200)
        assert.deepStrictEqual(tagsOf(yield* told).slice(4), ["AllowanceRenewed", "ConductorDied", "RecoveryStarted"])
      })
    )
    it.effect("time: a death after its end starts no recovery, until an operator allows it", () =>
      Effect.gen(function* () {
        const { ref, told, world } = yield* watching({ settings: { maxTime: Duration.minutes(10) } })
        yield* until(601)
        assert.deepStrictEqual(tagsOf(yield* told), ["LimitForeseen", "CeilingReached"])
        world.condition = "gone"
        yield* until(662)
        assert.deepStrictEqual(tagsOf(yield* told), [
          "LimitForeseen",
          "CeilingReached",
          "ConductorDied",
          "RecoveryWithheld",
          "WatcherStarted"
        ])
        const retried = yield* ref.dispatch({ _tag: "Retry" })
        assert.deepInclude(retried.recovery, { trigger: "pid", purpose: "relaunch" })
        assert.deepStrictEqual([retried.ceiling, retried.allowedSince], [undefined, at(662)])
      })
    )
  })
})

describe("behaviour#quiet-hours", () => {
  describe("the ceiling of use and the quiet hours", () => {
    it.effect("quiet hours: a recovery that would begin in them begins after them, by the same trigger", () =>
      Effect.gen(function* () {
        // A window within the host's own day.
        const all = { from: 0, to: 24 * 60 - 1 }
        const { told } = yield* watching({ world: { condition: "gone" }, settings: { quietHours: all } })
        yield* until(2)
        const [died, wait] = yield* told
        assert.deepStrictEqual([died?._tag, wait?._tag], ["ConductorDied", "WaitStarted"])
        assert.deepInclude(wait, { kind: "quiet-hours", trigger: "pid" })
      })
    )
  })
})
