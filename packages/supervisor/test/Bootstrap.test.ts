import { assert, describe, it } from "@effect/vitest"
import { Event, makeWatchRef, type WatchEvent } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Context, Effect, Option } from "effect"
import { bootstrap, publicationOf } from "../src/index.ts"
import { begun, type FakeProcess, identityOf, ownerOf, settle, until } from "@souffleur/testing"
import { living, opened, owned, worldOf, type Setup } from "./SupervisorWorld.ts"

const failure = (attempt: number, lastMessageId = 0) =>
  Event.ValidationFailed.make({ at: begun, attempt, check: "process", message: `reason ${attempt}`, lastMessageId })

type Process = { readonly uid: number; readonly condition: "running" | "zombie" }
const table = (pid: number, change: Partial<Process> = {}) =>
  new Map([[pid, { uid: 1000, condition: "running" as const, ...change }]])

/** Runs a bootstrap in this world, after this history. */
const validating = Effect.fnUntraced(function* (
  change: Setup = {},
  history: ReadonlyArray<WatchEvent> = [opened(), owned]
) {
  const all = yield* living(history, worldOf(change))
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
  const fiber = yield* bootstrap(ref).pipe(Effect.provideContext(all.context), Effect.forkChild)
  yield* settle
  return { ...all, ended: Effect.sync(() => fiber.pollUnsafe() !== undefined) }
})
/** Formats an event as its tag and its important fields. */
const told = (events: ReadonlyArray<WatchEvent>) =>
  events.map((event) =>
    event._tag === "ValidationFailed"
      ? `${event.attempt} ${event.check} at ${(event.at - begun) / 1000}`
      : event._tag === "ArgumentsCorrected"
        ? `corrected ${event.pid} ${event.sessionId}`
        : event._tag
  )

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("the checks pass at once: generation 1 with its baseline, and a first watcher", () =>
    Effect.gen(function* () {
      const { context, ended, events } = yield* validating({ lastMessageId: 7 })
      const [confirmed, watcher] = yield* events
      assert.deepStrictEqual(
        confirmed,
        Event.ConductorConfirmed.make({
          at: begun,
          conductor: identityOf(4711),
          sessionId: "s1",
          began: true,
          print: false,
          agent: "agent",
          taskCount: 3,
          taskFingerprint: "3 tasks",
          conductorState: "working",
          lastMessageId: 7
        })
      )
      // Never awaiting at the first launch.
      assert.deepStrictEqual(
        watcher,
        Event.WatcherStarted.make({ at: begun, watcher: 1, awaiting: false, mode: "normal" })
      )
      assert.isTrue(yield* ended)
      assert.deepStrictEqual(
        yield* Context.get(context, Beats).last("w"),
        Option.some({ by: "bootstrap/1", at: begun })
      )
    })
  )
})

const rejected: ReadonlyArray<readonly [name: string, change: Setup, check: Event.Check, reason: string]> = [
  ["a process that is not there", { processes: new Map() }, "process", "no process 4711"],
  ["a zombie", { processes: table(4711, { condition: "zombie" }) }, "process", "zombie"],
  ["another user's process", { processes: table(4711, { uid: 0 }) }, "process", "another user"],
  ["an ancestor of souffleur", { ancestors: [9, 4711] }, "process", "started this souffleur"],
  ["a Conductor that is watched already", { claims: new Map([[4711, ownerOf(77, "elsewhere")]]) }, "process", "pid 77"],
  [
    "a session that is watched already",
    { claims: new Map([["s1", ownerOf(77, "elsewhere")]]) },
    "session-file",
    "pid 77"
  ],
  ["a session without a file", { files: new Set<string>() }, "session-file", "no session file"],
  ["a comms without the row", { row: undefined }, "comms-row", 'no row "souffleur"'],
  ["a comms that is missing", { out: "missing" as const }, "comms-row", "missing"],
  ["a comms that is foreign", { out: "foreign" as const }, "comms-row", "foreign"]
]

describe("behaviour#naming-a-conductor", () => {
  for (const [name, change, check, reason] of rejected) {
    it.effect(`the checks reject ${name}`, () =>
      Effect.gen(function* () {
        const { events } = yield* validating(change)
        const [failed] = yield* events
        assert.deepInclude(failed, { _tag: "ValidationFailed", attempt: 1, check })
        assert.include(failed?._tag === "ValidationFailed" ? failed.message : "", reason)
      })
    )
  }
  const live = { uid: 1000, condition: "running" as const }
  /** 4711 in a shell of the window 4700, and another window. */
  const windows: Setup = {
    sessions: [{ pid: 4711, sessionId: "s1" }],
    processes: new Map<number, typeof live & { readonly parent?: number }>([
      [4700, live],
      [4705, { ...live, parent: 4700 }],
      [4711, { ...live, parent: 4705 }],
      [4800, live]
    ])
  }
  it.effect("the pid of the Conductor's window names the agent that holds the session in it, and that is told", () =>
    Effect.gen(function* () {
      const window = { ...opened("/c"), pid: 4700, process: identityOf(4700) }
      const { events, world } = yield* validating(windows, [window, owned])
      assert.deepInclude((yield* events)[0], { _tag: "ConductorConfirmed", conductor: identityOf(4711), below: 4700 })
      assert.include(publicationOf((yield* events)[0]!).message?.text, "pid 4711")
      assert.isTrue(world.claims.held.has(4711))
    })
  )
  it.effect("the pid of a window in which another works is refused, in a reply too", () =>
    Effect.gen(function* () {
      const window = { ...opened("/c"), pid: 4800, process: identityOf(4800) }
      const { events, world } = yield* validating(windows, [window, owned])
      assert.deepInclude((yield* events)[0], { _tag: "ValidationFailed", check: "process" })
      world.comms.replies.push({ id: 8, text: "PID:4800 SESSION_ID:s1" })
      yield* until(30)
      assert.deepInclude((yield* events)[1], { _tag: "ValidationFailed", attempt: 2 })
      world.comms.replies.push({ id: 9, text: "PID:4700 SESSION_ID:s1" })
      yield* until(60)
      assert.includeMembers(told(yield* events), ["corrected 4700 s1", "ConductorConfirmed"])
    })
  )
  it.effect("the checks reject souffleur itself", () =>
    Effect.gen(function* () {
      const opening = Event.WatchOpened.make({
        at: begun,
        project: "/p",
        comms: null,
        pid: 10,
        sessionId: "s1",
        observe: false
      })
      const { events } = yield* validating({ processes: table(10, {}) }, [opening, owned])
      const [failed] = yield* events
      assert.include(failed?._tag === "ValidationFailed" ? failed.message : failed?._tag, "pid 10 is souffleur itself")
    })
  )
})

describe("behaviour#exits", () => {
  for (const [who, process] of [
    ["another process", { ...identityOf(4711), startTime: 1 }],
    ["no process", null]
  ] as const) {
    it.effect(`the checks reject a pid that ${who} had when it was named; a reply names it again`, () =>
      Effect.gen(function* () {
        const { events, world } = yield* validating({ lastMessageId: 7 }, [{ ...opened("/c"), process }, owned])
        const [failed] = yield* events
        assert.include(
          failed?._tag === "ValidationFailed" ? failed.message : failed?._tag,
          "now belongs to another process"
        )
        world.comms.replies.push({ id: 8, text: "PID:4711 SESSION_ID:s1" })
        world.agent.sessions = [{ pid: 4711, sessionId: "s1" }]
        yield* until(30)
        assert.includeMembers(told(yield* events), ["corrected 4711 s1", "ConductorConfirmed"])
      })
    )
    it.effect(`the checks reject a pid that ${who} had when a reply named it`, () =>
      Effect.gen(function* () {
        const corrected = Event.ArgumentsCorrected.make({
          at: begun,
          pid: 4711,
          sessionId: "s1",
          messageId: 4,
          process
        })
        const { events } = yield* validating({}, [opened(), owned, failure(1, 3), corrected])
        yield* until(300)
        assert.deepStrictEqual(told(yield* events), ["2 process at 270"])
      })
    )
  }
})

describe("behaviour#validation", () => {
  it.effect("the checks stop at the first failure", () =>
    Effect.gen(function* () {
      const { events } = yield* validating({ processes: new Map(), files: new Set(), row: undefined })
      assert.deepStrictEqual(told(yield* events), ["1 process at 0"])
    })
  )
  it.effect("the checks ignore comms in a solo watch", () =>
    Effect.gen(function* () {
      const { tags } = yield* validating({ row: undefined, out: "missing" }, [opened(null), owned])
      assert.deepStrictEqual(yield* tags, ["ConductorConfirmed", "WatcherStarted"])
    })
  )

  describe("after a failure", () => {
    it.effect("validation runs again each 30 s, and passes once the cause is gone", () =>
      Effect.gen(function* () {
        const { events, world } = yield* validating({ files: new Set() })
        world.agent.files!.add("s1")
        yield* until(29)
        assert.deepStrictEqual(told(yield* events), ["1 session-file at 0"])
        yield* until(30)
        assert.deepStrictEqual(told(yield* events), ["1 session-file at 0", "ConductorConfirmed", "WatcherStarted"])
      })
    )
    it.effect("the corrected arguments of a reply are taken", () =>
      Effect.gen(function* () {
        const { events, world } = yield* validating({ processes: table(5555), lastMessageId: 7 })
        world.agent.files!.add("s9")
        world.agent.sessions = [{ pid: 5555, sessionId: "s9" }]
        world.comms.replies.push({ id: 8, text: "sorry: PID:5555 SESSION_ID:s9" })
        yield* until(30)
        assert.deepStrictEqual(told(yield* events), [
          "1 process at 0",
          "corrected 5555 s9",
          "ConductorConfirmed",
          "WatcherStarted"
        ])
      })
    )
    it.effect("a reply that is older than the failure is not taken", () =>
      Effect.gen(function* () {
        const { events } = yield* validating({
          processes: table(5555),
          replies: [{ id: 3, text: "PID:5555 SESSION_ID:s1" }]
        })
        yield* until(120)
        assert.deepStrictEqual(told(yield* events), ["1 process at 0"])
      })
    )
    it.effect("a reply that is older than the failure is not taken, though comms was locked at the failure", () =>
      Effect.gen(function* () {
        const { events, world } = yield* validating({
          out: "locked",
          processes: table(5555),
          replies: [{ id: 3, text: "PID:5555 SESSION_ID:s1" }]
        })
        yield* until(40)
        world.comms.out = undefined
        yield* until(240)
        assert.deepStrictEqual(told(yield* events), ["1 process at 60"])
      })
    )
    it.effect("a reply that fails counts as a further attempt, at once", () =>
      Effect.gen(function* () {
        const { ended, events, world } = yield* validating({ processes: new Map() })
        world.comms.replies.push({ id: 1, text: "PID:5555 SESSION_ID:s1" })
        yield* until(30)
        assert.deepStrictEqual(told(yield* events), ["1 process at 0", "corrected 5555 s1", "2 process at 30"])
        world.comms.replies.push({ id: 2, text: "PID:6666 SESSION_ID:s1" })
        yield* until(60)
        assert.deepStrictEqual(told(yield* events).slice(3), [
          "corrected 6666 s1",
          "3 process at 60",
          "ValidationExhausted"
        ])
        assert.isTrue(yield* ended)
      })
    )
    it.effect("an unreadable reply counts as a further attempt", () =>
      Effect.gen(function* () {
        for (const text of [
          "what?",
          "PID:1 SESSION_ID:s1",
          "PID:5555 SESSION_ID:../etc",
          "PID:5 PID:6 SESSION_ID:s1"
        ]) {
          const { events, world } = yield* validating({ processes: new Map() })
          world.comms.replies.push({ id: 1, text })
          yield* until(30)
          assert.deepStrictEqual(told(yield* events), ["1 process at 0", "2 process at 30"], text)
          // And once only.
          yield* until(60)
          assert.strictEqual((yield* events).length, 2)
        }
      })
    )
    it.effect(
      "the same failure 10 polls later counts as a further attempt; the third ends the watch, with each reason",
      () =>
        Effect.gen(function* () {
          const { ended, events } = yield* validating({ processes: new Map() })
          yield* until(270)
          assert.deepStrictEqual(told(yield* events), ["1 process at 0"])
          yield* until(300)
          assert.deepStrictEqual(told(yield* events), ["1 process at 0", "2 process at 300"])
          assert.isFalse(yield* ended)
          yield* until(600)
          assert.deepStrictEqual(told(yield* events).slice(2), ["3 process at 600", "ValidationExhausted"])
          const exhausted = (yield* events).at(-1)
          assert.strictEqual(exhausted?._tag === "ValidationExhausted" ? exhausted.messages.length : 0, 3)
          assert.isTrue(yield* ended)
        })
    )
  })

  it.effect("a locked comms is no failure: validation runs again without counting", () =>
    Effect.gen(function* () {
      const { events, world } = yield* validating({ out: "locked" })
      yield* until(3600)
      assert.deepStrictEqual(told(yield* events), [])
      world.comms.out = undefined
      yield* until(3630)
      assert.deepStrictEqual(told(yield* events), ["ConductorConfirmed", "WatcherStarted"])
    })
  )

  it.effect("a comms that was locked only at the check also runs validation again without counting", () =>
    Effect.gen(function* () {
      const { events } = yield* validating({ lockedUses: 1 })
      assert.deepStrictEqual(told(yield* events), [])
      yield* until(30)
      assert.deepStrictEqual(told(yield* events), ["ConductorConfirmed", "WatcherStarted"])
    })
  )

  describe("a souffleur that died during the validation", () => {
    it.effect("a souffleur that died goes on from the attempts in the log", () =>
      Effect.gen(function* () {
        const { events } = yield* validating({ processes: new Map() }, [opened(), owned, failure(1), failure(2)])
        yield* until(240)
        assert.deepStrictEqual(told(yield* events), [])
        yield* until(270)
        assert.deepStrictEqual(told(yield* events), ["3 process at 270", "ValidationExhausted"])
      })
    )
    it.effect("a souffleur that died takes no reply twice", () =>
      Effect.gen(function* () {
        const corrected = Event.ArgumentsCorrected.make({
          at: begun,
          pid: 5555,
          sessionId: "s1",
          messageId: 4,
          process: identityOf(5555)
        })
        const { events, world } = yield* validating(
          { processes: new Map(), replies: [{ id: 4, text: "PID:5555 SESSION_ID:s1" }] },
          [opened(), owned, failure(1, 3), corrected]
        )
        yield* until(60)
        assert.deepStrictEqual(told(yield* events), [])
        world.processes.run({ pid: 5555 })
        world.agent.sessions = [{ pid: 5555, sessionId: "s1" }]
        yield* until(90)
        const [confirmed] = yield* events
        assert.strictEqual(confirmed?._tag === "ConductorConfirmed" ? confirmed.conductor.pid : 0, 5555)
      })
    )
  })
})

const both = new Map([...table(4711), ...table(80)])
const another: ReadonlyArray<readonly [name: string, change: Setup, why: string]> = [
  [
    "another live process says that it holds it",
    { sessions: [{ pid: 80, sessionId: "s1" }] },
    "process 80 holds session s1, not process 4711"
  ],
  [
    "the hooks of another live process name it",
    { hooked: [{ pid: 80, sessionId: "s1" }] },
    "process 80 holds session s1, not process 4711"
  ],
  ["it names another session", { sessions: [{ pid: 4711, sessionId: "s2" }] }, "process 4711 holds session s2, not s1"],
  [
    "its hooks, which outweigh its pid file, name another session",
    { sessions: [{ pid: 4711, sessionId: "s1" }], hooked: [{ pid: 4711, sessionId: "s2" }] },
    "process 4711 holds session s2, not s1"
  ],
  ["it is a tool of that session", { tools: [4711] }, "process 4711 is a tool of session s1, not its agent"]
]

describe("behaviour#who-holds-a-session", () => {
  for (const [name, change, why] of another) {
    it.effect(`validation fails if ${name}, and says what to do`, () =>
      Effect.gen(function* () {
        const { events } = yield* validating({ ...change, processes: both })
        const [failed] = yield* events
        assert.strictEqual(
          failed?._tag === "ValidationFailed" ? failed.message : failed?._tag,
          `${why}: name that process, or release this watch and use "souffleur watch --force"`
        )
      })
    )
    it.effect(`validation passes although ${name}, when a person uses --force`, () =>
      Effect.gen(function* () {
        const { events } = yield* validating({ ...change, processes: both }, [{ ...opened(), forced: true }, owned])
        assert.deepStrictEqual(told(yield* events), ["ConductorConfirmed", "WatcherStarted"])
      })
    )
  }
  it.effect("an agent's own word confirms it, and a person's word does when there is no evidence", () =>
    Effect.gen(function* () {
      const moved = { sessions: [{ pid: 80, sessionId: "s1" }], hooked: [{ pid: 80, sessionId: "s9" }] }
      const dead = { hooked: [{ pid: 81, sessionId: "s1" }] }
      for (const change of [
        {},
        { sessions: [{ pid: 4711, sessionId: "s1" }] },
        { hooked: [{ pid: 4711, sessionId: "s1" }] },
        moved,
        dead
      ]) {
        const { events } = yield* validating({ ...change, processes: both })
        assert.deepStrictEqual(told(yield* events), ["ConductorConfirmed", "WatcherStarted"], JSON.stringify(change))
      }
    })
  )
  it.effect("a reply must name an agent that confirms its session, so that no message chooses what is stopped", () =>
    Effect.gen(function* () {
      const { events, world } = yield* validating({ processes: table(80) })
      world.comms.replies.push({ id: 1, text: "PID:80 SESSION_ID:s1" })
      yield* until(30)
      // The person's own word still holds.
      assert.deepStrictEqual(told(yield* events), ["1 process at 0", "2 process at 30"])
      const failed = (yield* events)[1]
      assert.include(
        failed?._tag === "ValidationFailed" ? failed.message : "",
        "nothing says that process 80 is an agent that holds session s1"
      )
      world.agent.sessions = [{ pid: 80, sessionId: "s1" }]
      world.comms.replies.push({ id: 2, text: "PID:80 SESSION_ID:s1" })
      yield* until(60)
      assert.includeMembers(told(yield* events), ["corrected 80 s1", "ConductorConfirmed"])
    })
  )
  const at = (pid: number, folder: string, more: Partial<FakeProcess> = {}) =>
    ({ pid, name: "agent", words: ["/bin/agent"], environment: { PWD: folder }, ...more }) satisfies FakeProcess
  const correctable: ReadonlyArray<readonly [name: string, taken: boolean, ...ReadonlyArray<FakeProcess>]> = [
    ["is the only agent of the project", true, at(80, "/p/packages"), at(81, "/elsewhere")],
    [
      "has a launcher and a child that are agents too",
      true,
      at(79, "/p"),
      at(80, "/p", { parent: 79 }),
      at(82, "/p", { parent: 80 })
    ],
    ["is one of two agents of the project", false, at(80, "/p"), at(81, "/p")],
    ["was started elsewhere", false, at(80, "/elsewhere")],
    [
      "names the session in its command line",
      true,
      at(80, "/p", { words: ["/bin/agent", "--resume", "s1"] }),
      at(81, "/p")
    ],
    ["names the session behind a sign", true, at(80, "/elsewhere", { words: ["/bin/agent", "--session-id=s1"] })],
    ["names another session", false, at(80, "/elsewhere", { words: ["/bin/agent", "--resume", "s12"] })],
    ["is no agent", false, at(80, "/p", { words: ["/usr/bin/postgres", "s1"] })]
  ]
  for (const [name, taken, ...processes] of correctable) {
    it.effect(
      `a reply is ${taken ? "taken" : "refused"} that names a process without hook or pid file which ${name}`,
      () =>
        Effect.gen(function* () {
          const { events, world } = yield* validating({ processes: new Map() })
          world.processes.run(...processes)
          world.comms.replies.push({ id: 1, text: "PID:80 SESSION_ID:s1" })
          yield* until(60)
          const all = told(yield* events)
          if (taken) assert.includeMembers(all, ["corrected 80 s1", "ConductorConfirmed"])
          else assert.deepStrictEqual(all, ["1 process at 0", "2 process at 30"])
        })
    )
  }
  it.effect("a reply's process is checked again when it is validated, and --force does not help it", () =>
    Effect.gen(function* () {
      const corrected = Event.ArgumentsCorrected.make({
        at: begun,
        pid: 80,
        sessionId: "s1",
        messageId: 4,
        process: identityOf(80)
      })
      const history = [{ ...opened(), forced: true }, owned, failure(1, 3), corrected]
      const { events } = yield* validating({ processes: table(80) }, history)
      yield* until(300)
      assert.deepStrictEqual(told(yield* events), ["2 process at 270"])
    })
  )
})

describe("behaviour#validation, security#the-agent", () => {
  it.effect("a reply may not name a process that is no agent, whatever a pid file says of it", () =>
    Effect.gen(function* () {
      const { events, world } = yield* validating({ processes: table(80) })
      world.processes.wordsOf = () => ["/usr/bin/postgres", "-D", "/data"]
      world.agent.sessions = [{ pid: 80, sessionId: "s1" }]
      world.comms.replies.push({ id: 1, text: "PID:80 SESSION_ID:s1" })
      yield* until(30)
      assert.deepStrictEqual(told(yield* events), ["1 process at 0", "2 process at 30"])
    })
  )
})

describe("behaviour#words-in-comms", () => {
  describe("a reply of a sender without the right to send one", () => {
    it.effect("a reply without the right to send it is no attempt and no correction, and is reported once", () =>
      Effect.gen(function* () {
        const { events, world } = yield* validating({ processes: new Map() })
        world.comms.refused = { id: 4, from: "some-other-session" }
        yield* until(120)
        assert.deepStrictEqual(told(yield* events), ["1 process at 0", "WordRefused"])
      })
    )
  })
})
