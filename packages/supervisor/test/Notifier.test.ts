import { assert, describe, it } from "@effect/vitest"
import { Event, evolve, exportLimits, initial, type Watch, type WatchEvent } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { makeNoticeChannels } from "@souffleur/notify"
import { NoticeChannels } from "@souffleur/process"
import { Context, Effect, Fiber, FileSystem, Layer } from "effect"
import {
  episodeAfter,
  noticeOf as noticeIn,
  notifier,
  type NotifierOptions,
  publicationOf,
  noEpisode
} from "../src/index.ts"
import { begun, identityOf } from "@souffleur/testing"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { living, started, watching } from "./SupervisorWorld.ts"

const at = begun
const generation = {
  at,
  generation: 2,
  conductor: identityOf(5000),
  sessionId: "s2",
  print: true,
  taskCount: 1,
  taskFingerprint: "a",
  conductorState: null,
  lastMessageId: 0
}
const relaunched = Event.ConductorRelaunched.make({
  ...generation,
  cycle: 1,
  provider: "claude_export",
  launchId: "l1",
  awaiting: true,
  exportPath: "/e.md"
})
const taken = Event.HandoffTaken.make({
  at,
  watcher: 2,
  launchId: "l1",
  generation: 2,
  takenAt: at,
  contextTokens: null,
  contextWindow: null
})
const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "gate", message: "too large" })
const adopted = Event.ConductorAdopted.make({ ...generation, by: "operator" })
const exhausted = Event.RetriesExhausted.make({ at, cycle: 1, trigger: "pid", exportPath: "/e.md" })
const completed = Event.ConductorCompleted.make({ at, by: "watcher" })
/** Makes the death of the Conductor. `retries`: the generations in a row without progress, this one included. */
const died = (retries: number): WatchEvent => ({ ...examples.ConductorDied, retries })
const asked = (retries: number): WatchEvent => ({ ...examples.HandoffRequested, retries })
const noticeOf = (event: WatchEvent, watch: Watch) => noticeIn("w", event, { ...noEpisode, watch })
/** Returns the kinds of a history's notices, in their order. */
const kindsOf = (history: ReadonlyArray<WatchEvent>) => {
  const kinds: Array<string> = []
  history.reduce((told, event) => {
    const notice = noticeIn("w", event, told)
    if (notice !== undefined) kinds.push(notice.kind)
    return episodeAfter(told, event)
  }, noEpisode)
  return kinds
}

describe("behaviour#episodes", () => {
  it("a person is told of a recovery, of a failed one, of exhausted retries, and of their end", () => {
    const well = watching.reduce(evolve, initial)
    const kinds = (before: Watch) =>
      [relaunched, taken, closed, exhausted, adopted, completed].map((event) => noticeOf(event, before)?.kind)
    assert.deepStrictEqual(kinds(well), [undefined, "recovered", "failed_closed", "exhausted", undefined, "completed"])
    assert.deepStrictEqual(kinds(evolve(well, closed)), [
      undefined,
      "recovered",
      "failed_closed",
      "exhausted",
      "cleared",
      "completed"
    ])
    assert.strictEqual(noticeOf(Event.ValidationExhausted.make({ at, messages: ["a"] }), well)?.kind, "exhausted")
    for (const event of watching) assert.isUndefined(noticeOf(event, evolve(well, closed)), event._tag)
    assert.include(noticeOf(closed, well)?.text, "gate: too large")
    assert.include(noticeOf(exhausted, well)?.text, "/e.md")
  })
  it("a person is told of a death once until there is progress, of the recovery once, and of each end", () => {
    const again = [died(1), taken, died(2), taken]
    assert.deepStrictEqual(kindsOf([...watching, ...again]), ["died", "recovered"])
    assert.deepStrictEqual(kindsOf([...watching, ...again, died(3), exhausted]), ["died", "recovered", "exhausted"])
    assert.deepStrictEqual(kindsOf([...watching, ...again, died(0), taken]), ["died", "recovered", "died", "recovered"])
    assert.deepStrictEqual(kindsOf([...watching, ...again, adopted, died(1)]), ["died", "recovered", "died"])
    assert.deepStrictEqual(kindsOf([...watching, ...again, asked(0), taken, died(1)]), [
      "died",
      "recovered",
      "recovered",
      "died"
    ])
    assert.deepStrictEqual(kindsOf([...watching, ...again, asked(3), taken, completed]), [
      "died",
      "recovered",
      "completed"
    ])
  })
  it("a person is told once when a person is awaited or a limit begins, and once when that is over", () => {
    const limited = (until: number) =>
      Event.WaitStarted.make({ at, watcher: 1, kind: "usage-limit", until, resetsAt: until, trigger: "limit" })
    const history = [
      Event.PersonAwaited.make({ at, watcher: 1, for: "permission prompt" }),
      Event.PersonCame.make({ at, watcher: 1 }),
      limited(at + 60_000),
      limited(at + 120_000),
      Event.WaitEnded.make({ at, watcher: 1, how: "over" })
    ]
    const kinds: Array<string | undefined> = []
    history.reduce(
      (watch, event) => {
        kinds.push(noticeOf(event, watch)?.kind)
        return evolve(watch, event)
      },
      watching.reduce(evolve, initial)
    )
    assert.deepStrictEqual(kinds, ["waiting_for_a_person", "cleared", "usage_limit", undefined, "cleared"])
  })
  it("an idle agent has a notice with a command that works, once for each turn", () => {
    const well = watching.reduce(evolve, initial)
    const idle = (again: boolean) => Event.ConductorIdle.make({ at, watcher: 1, since: at, again })
    assert.deepStrictEqual(noticeOf(idle(false), { ...well, comms: null, launchId: "l1" }), {
      kind: "idle",
      state: "idle",
      text: 'The agent is idle: its turn is over, and it waits at its prompt for your words or for "souffleur done".',
      words: null,
      next: "souffleur attach w"
    })
    assert.strictEqual(noticeOf(idle(false), { ...well, launchId: undefined })?.next, "souffleur done w")
    assert.isUndefined(noticeOf(idle(true), well))
    assert.isUndefined(noticeOf(Event.ConductorBusy.make({ at, watcher: 1 }), well))
  })
  it("a limit that is coming has a notice of its own, which says how long it lasts", () => {
    assert.deepStrictEqual(noticeOf(examples.LimitForeseen, watching.reduce(evolve, initial)), {
      kind: "limit_near",
      state: "working",
      text: "The Conductor nears its usage limit of 5 h 0 m: 92 % used, lasts 21 m 0 s (estimated).",
      words: null,
      next: "souffleur status w"
    })
  })
  it("a silent task has a notice of its own, whose words name the task", () => {
    const notice = noticeOf(examples.TaskSilent, watching.reduce(evolve, initial))
    assert.deepStrictEqual(notice, {
      kind: "silent_task",
      state: "working",
      text: "A task has had no heartbeat for 9 m 12 s, and souffleur leaves it alone.",
      words: "task-03, working",
      next: "souffleur status w"
    })
  })
  it("a person is told the end of an episode also by completion or adoption, and nothing of quiet hours", () => {
    const wait = (kind: "usage-limit" | "quiet-hours") =>
      Event.WaitStarted.make({ at, watcher: 1, kind, until: at, resetsAt: at, trigger: "limit" })
    const well = watching.reduce(evolve, initial)
    const kinds = (episode: WatchEvent) =>
      [adopted, completed].map((event) => noticeOf(event, evolve(well, episode))?.kind)
    assert.deepStrictEqual(kinds(Event.PersonAwaited.make({ at, watcher: 1, for: "permission prompt" })), [
      "cleared",
      "completed"
    ])
    assert.deepStrictEqual(kinds(wait("usage-limit")), ["cleared", "completed"])
    assert.deepStrictEqual(kinds(wait("quiet-hours")), [undefined, "completed"])
    assert.isUndefined(noticeOf(wait("quiet-hours"), well))
  })
})

describe("behaviour#notices", () => {
  it("each notice names the command to type next, with the watch", () => {
    const well = watching.reduce(evolve, initial)
    assert.strictEqual(noticeOf(died(0), well)?.next, "souffleur why w")
    const held = evolve(well, Event.HoldStarted.make({ at }))
    assert.strictEqual(noticeOf(died(0), held)?.next, "souffleur go w", "nothing follows by itself")
    // An operator knows of a hold of theirs, and of an agent's nobody would hear.
    assert.isUndefined(noticeOf(Event.HoldStarted.make({ at }), well))
    const agentsHold = noticeOf(Event.HoldStarted.make({ at, byAgent: true }), well)
    assert.deepInclude(agentsHold, { kind: "warning", state: "needs you", next: "souffleur go w" })
    assert.include(agentsHold?.text, "An agent's session holds the watch")
    assert.strictEqual(noticeOf(completed, well)?.next, "souffleur log w")
    assert.strictEqual(noticeOf(closed, well)?.next, "souffleur retry w")
  })
  it("a person is told of an unknown request, a refused permission, and a Conductor that is not found or claimed", () => {
    const well = watching.reduce(evolve, initial)
    const read = (warnings: ReadonlyArray<string>) => {
      const outcome = { messageId: 7, digest: null, requested: "acceptEdits", warnings: [...warnings] }
      return noticeOf(Event.StepSucceeded.make({ at, cycle: 1, step: "0 payload", outcome }), well)
    }
    assert.isUndefined(read([]))
    const limits = exportLimits({ trimChars: null, forceCompactThresholdTokens: 8 }, undefined)
    const large = { estimated_tokens: 9, start_mode: "full_file", warnings: [], ...limits }
    const gate = Event.StepSucceeded.make({ at, cycle: 1, step: "4 estimate", outcome: large })
    assert.isDefined(publicationOf(gate).message, "comms is told of it")
    assert.isUndefined(noticeOf(gate, well))
    assert.deepInclude(read(["line 3: no key"]), { kind: "warning" })
    assert.include(read(["line 3: no key"])?.text, "did not understand all of the payload (message 7): line 3: no key")

    const launch = (requested: "acceptEdits" | "invalid") =>
      noticeOf(
        Event.LaunchPrepared.make({
          at,
          cycle: 1,
          launchId: "l1",
          digest: "d",
          sessionId: "s2",
          requested,
          effective: "acceptEdits"
        }),
        well
      )
    assert.isUndefined(launch("acceptEdits"))
    assert.include(launch("invalid")?.text, "a permission was asked for that no launch may have")

    const lost = Event.ConductorUnresolved.make({ at, watcher: 1, sessionId: "s2" })
    const found = Event.ConductorResolved.make({ at, watcher: 1, conductor: identityOf(5000), print: true })
    assert.deepInclude(noticeOf(lost, well), { kind: "warning" })
    assert.isUndefined(noticeOf(found, well), "found at once: nobody was told of anything")
    assert.deepInclude(noticeOf(found, evolve(well, lost)), {
      kind: "cleared",
      text: "The Conductor is pid 5000: it holds the session."
    })

    assert.include(
      noticeOf(Event.ConductorUnclaimed.make({ at, message: "the disk is full" }), well)?.text,
      "the disk is full"
    )
    assert.strictEqual(noticeOf(Event.ConductorClaimed.make({ at }), well)?.kind, "cleared")
  })
})

describe("behaviour#words-in-notices", () => {
  it("words of the agent are no part of a notice's text", () => {
    const awaited = Event.PersonAwaited.make({ at, watcher: 1, for: "may I run rm?" })
    assert.deepInclude(noticeOf(awaited, watching.reduce(evolve, initial)), {
      text: "The Conductor waits for a person.",
      words: "may I run rm?"
    })
  })
})

it.layer(HostServices.layer)((it) => {
  /** Runs a notifier whose command appends its input to a file; the marks survive it, as on disk. */
  const notifying = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>, then = "") {
    const fs = yield* FileSystem.FileSystem
    const all = yield* living([...watching, ...history])
    const file = `${yield* fs.makeTempDirectoryScoped()}/told`
    yield* fs.writeFileString(file, "")
    const write = 'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], fs.readFileSync(0)); '
    const marks = Context.get(yield* Layer.build(Cursor.layerMemory), Cursor)
    const channels = (command: string) =>
      makeNoticeChannels([{ _tag: "command", command }], {
        quietHours: null,
        stateDir: "/state",
        variables: {},
        platform: "linux",
        post: () => Effect.die("no server is asked")
      })
    const run = Effect.fnUntraced(function* (
      command = JSON.stringify([process.execPath, "-e", write + then, file]),
      read = marks,
      options: NotifierOptions = {}
    ) {
      yield* notifier("w", "/p", options).pipe(
        Effect.provideService(NoticeChannels, yield* channels(command)),
        Effect.provide(all.context),
        Effect.provideService(Cursor, read)
      )
    })
    const told = Effect.map(fs.readFileString(file), (text) =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { readonly revision: number; readonly kind: string })
    )
    const kinds = Effect.map(told, (all) => all.map(({ kind }) => kind))
    /** Runs until so many notices were sent, and is killed then. */
    const killedAfter = Effect.fnUntraced(function* (count: number) {
      const fiber = yield* Effect.forkChild(run())
      yield* Effect.repeat(told, { until: (all) => all.length === count })
      yield* Fiber.interrupt(fiber)
    })
    return { ...all, run, told, kinds, killedAfter, marks }
  })

  describe("behaviour#notices", () => {
    it.effect(
      "the notify command gets each notice once, in the log's order, as one JSON object, and none after the end",
      () =>
        Effect.gen(function* () {
          const { run, told } = yield* notifying([taken, started(2), closed, adopted, completed])
          yield* run()
          const [first, ...rest] = yield* told
          assert.deepStrictEqual(first as unknown, {
            watch: "w",
            project: "/p",
            title: null,
            labels: {},
            revision: 7,
            at: "2026-01-05T12:00:00.000Z",
            kind: "recovered",
            state: "working",
            link: null,
            text: "The Conductor took the hand-off.",
            words: null,
            next: "souffleur attach w",
            loudness: "usual"
          })
          assert.deepStrictEqual(
            rest.map(({ kind, revision }) => [kind, revision]),
            [
              ["failed_closed", 9],
              ["cleared", 10],
              ["completed", 11]
            ]
          )
        })
    )
    it.effect("a restarted souffleur repeats no notice, sends the new ones, and remembers open episodes", () =>
      Effect.gen(function* () {
        const { kinds, killedAfter, log, run } = yield* notifying([taken, closed])
        yield* killedAfter(2)
        yield* log.append("w", 8, [completed])
        yield* run()
        assert.deepStrictEqual(yield* kinds, ["recovered", "failed_closed", "completed"])
        yield* run()
        assert.strictEqual((yield* kinds).length, 3)
      })
    )
  })

  describe("behaviour#plain-words", () => {
    it.effect("the notify command gets no terminal control characters", () =>
      Effect.gen(function* () {
        const { run, told } = yield* notifying([
          Event.PersonAwaited.make({ at, watcher: 1, for: "\u001B[2J\u009B\u202E\n" }),
          completed
        ])
        yield* run()
        assert.deepInclude((yield* told)[0] as unknown, {
          text: "The Conductor waits for a person.",
          words: "\\u001b[2J\\u009b\\u202e\\u000a"
        })
      })
    )
  })

  describe("behaviour#last-words", () => {
    it.effect("a death and the end are told with the newest last words, and no other notice has any", () =>
      Effect.gen(function* () {
        const { run, told } = yield* notifying([died(1), relaunched, taken, completed])
        const asked: Array<number> = []
        const lines = ["x".repeat(200), "y".repeat(200), "All is done."]
        const lastWords = (watch: Watch) => Effect.sync(() => (asked.push(watch.generation), lines))
        yield* run(undefined, undefined, { lastWords })
        assert.deepStrictEqual(asked, [1, 2])
        const [death, recovered, end] = (yield* told) as ReadonlyArray<{ readonly words?: string | null }>
        assert.strictEqual(death?.words, `…${"x".repeat(81)} · ${"y".repeat(200)} · All is done.`)
        assert.strictEqual(recovered?.words, null)
        assert.strictEqual(end?.words, death?.words)
        assert.strictEqual(end?.words?.length, 300)
      })
    )
  })

  describe("behaviour#outbox", () => {
    it.effect("the notify command gets new notices when the log is shorter than its mark", () =>
      Effect.gen(function* () {
        const { kinds, log, marks, run } = yield* notifying([taken])
        yield* marks.advance("w/notified", 40)
        const fiber = yield* Effect.forkChild(run())
        yield* Effect.repeat(marks.position("w/notified"), { until: (told) => told < 40 })
        yield* log.append("w", 7, [closed, adopted, completed])
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(yield* kinds, ["failed_closed", "cleared", "completed"])
      })
    )
  })

  describe("behaviour#delivery-of-notices", () => {
    it.effect("a notice is marked before it is sent: a souffleur that vanished in between does not send it twice", () =>
      Effect.gen(function* () {
        const { kinds, marks, run } = yield* notifying([taken, closed, completed])
        yield* marks.advance("w/notified", 7)
        yield* run()
        assert.deepStrictEqual(yield* kinds, ["failed_closed", "completed"])
      })
    )
    it.effect("a notice is sent by one of two souffleurs that read the mark at once, one of them suspended since", () =>
      Effect.gen(function* () {
        const { kinds, marks, run } = yield* notifying([taken, closed, completed])
        const old = Cursor.of({ ...marks, position: () => Effect.succeed(0) })
        yield* run()
        yield* run(undefined, old)
        assert.deepStrictEqual(yield* kinds, ["recovered", "failed_closed", "completed"])
      })
    )
    it.effect("a notify command that fails or is missing is not run again, and stops nothing", () =>
      Effect.gen(function* () {
        const failing = yield* notifying([taken, closed, completed], "process.exit(1)")
        yield* failing.run()
        assert.deepStrictEqual(yield* failing.kinds, ["recovered", "failed_closed", "completed"])
        const none = yield* notifying([taken, closed, completed])
        yield* none.run("/nowhere/pager")
        assert.strictEqual(yield* none.marks.position("w/notified"), 9)
      })
    )
  })
})
