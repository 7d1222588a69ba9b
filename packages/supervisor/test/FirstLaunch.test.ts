import { assert, describe, it } from "@effect/vitest"
import {
  Event,
  type LaunchOrder,
  makeWatchRef,
  type Terminal,
  type WatchEvent,
  type WatchIntent,
  type WatchRef
} from "@souffleur/domain"
import { LaunchSlots, type TakeSlot } from "@souffleur/eventlog"
import { Effect } from "effect"
import { bootstrap } from "../src/index.ts"
import { begun, identityOf, ownerOf, settle, until } from "@souffleur/testing"
import { living, owned, worldOf, type Setup } from "./SupervisorWorld.ts"

const kept = {
  id: "w-g1-launch-1",
  command: { program: "/bin/claude", args: ["-p"], environment: {} },
  cwd: "/p",
  title: "Conductor (S1)"
}
const opening = (kind: "agent" | "command", sessionId = kind === "agent" ? "s1" : "") => {
  const [requested, effective] = ["acceptEdits", "acceptEdits"] as const
  const launch = {
    at: begun,
    cycle: 0,
    launchId: kept.id,
    digest: `digest of ${kept.id}`,
    sessionId,
    requested,
    effective
  }
  return [
    Event.WatchOpened.make({ at: begun, project: "/p", comms: null, pid: 0, sessionId, observe: false, kind }),
    Event.LaunchPrepared.make(launch),
    owned
  ]
}
/** A run at its beginning. */
const starting = Effect.fnUntraced(function* (
  kind: "agent" | "command",
  change: Setup = {},
  turn: (watch: WatchRef) => TakeSlot = () => () => Effect.void
) {
  const world = worldOf(change)
  const command = { ...kept.command, window: change.windowless !== true }
  world.launcher.prepared.set(kept.id, { ...kept, command })
  const all = yield* living(opening(kind, change.reports === undefined ? undefined : ""), world)
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
  const operator = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Operator" }), all.context)
  yield* bootstrap(ref).pipe(
    Effect.provideContext(all.context),
    Effect.provideService(LaunchSlots, turn(operator)),
    Effect.forkChild
  )
  yield* settle
  return all
})

describe("command-line#status", () => {
  it.effect("the log names the program of an agent, and of a command none", () =>
    Effect.gen(function* () {
      for (const [kind, agent] of [
        ["agent", "agent"],
        ["command", null]
      ] as const) {
        const { events } = yield* starting(kind)
        assert.deepInclude((yield* events)[0], { _tag: "ConductorConfirmed", agent })
      }
    })
  )
})

describe("behaviour#no-window", () => {
  const begins = Effect.fnUntraced(function* (
    kind: "agent" | "command",
    change: Partial<LaunchOrder> = {},
    terminals: readonly [Terminal, ...ReadonlyArray<Terminal>] = ["tmux", "headless"]
  ) {
    const world = worldOf({})
    world.launcher.terminals = terminals
    world.launcher.windowless.add("tmux")
    const command = { ...kept.command, window: true }
    world.launcher.prepared.set(kept.id, { ...kept, command, prompt: "do it", ...change })
    const all = yield* living(opening(kind), world)
    const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), all.context)
    const boot = Effect.provideContext(bootstrap(ref), all.context)
    return { ...all, boot }
  })
  it.effect("a first launch without a window is made again for print mode, with the prompt that a person typed", () =>
    Effect.gen(function* () {
      const { boot, events, tags, world } = yield* begins("agent")
      yield* Effect.forkChild(boot)
      yield* settle
      assert.deepStrictEqual(yield* tags, ["WindowRefused", "LaunchPrepared", "ConductorConfirmed", "WatcherStarted"])
      const [refused, prepared] = yield* events
      assert.deepInclude(refused, { cycle: 0, terminal: "tmux", instead: "headless" })
      assert.deepInclude(prepared, { launchId: "w-g1-launch-1-headless", cycle: 0 })
      assert.deepInclude(world.agent.orders.at(-1), { print: true, prompt: "do it" })
      assert.deepStrictEqual(world.launcher.receipts.get(kept.id), "tombstone")
      assert.isFalse(world.launcher.prepared.has(kept.id), "its file had an environment")
    })
  )
  it.effect("without a prompt it is not launched where no one can type one, and without LAUNCHER=auto never", () =>
    Effect.gen(function* () {
      for (const [terminals, says] of [
        [["tmux", "headless"], /it has no prompt, and without a window no one can type one/u],
        [["tmux"], /tmux does not answer; with SOUFFLEUR_LAUNCHER=headless it needs no window/u]
      ] as const) {
        const { boot, events, world } = yield* begins("agent", { prompt: "" }, terminals)
        yield* Effect.forkChild(boot)
        yield* settle
        const failed = (yield* events).find(({ _tag }) => _tag === "ValidationFailed")
        assert.match(failed?._tag === "ValidationFailed" ? failed.message : "", says)
        assert.strictEqual(failed, (yield* events)[0])
        assert.lengthOf(world.launcher.launches, 0)
      }
    })
  )
  it.effect("a launch that was prepared for a terminal elsewhere finds the terminals of this souffleur", () =>
    Effect.gen(function* () {
      const { boot, tags, world } = yield* begins("command", { terminal: "own", place: "kitty" })
      world.launcher.windowless.add("kitty")
      world.launcher.windowless.delete("tmux")
      yield* Effect.forkChild(boot)
      yield* settle
      assert.deepStrictEqual(yield* tags, ["WindowRefused", "LaunchPrepared", "ConductorConfirmed", "WatcherStarted"])
      assert.deepInclude(world.launcher.launches[0], { place: "tmux", command: { ...kept.command, window: true } })
    })
  )
  it.effect("a souffleur that died after the launch in the next terminal is followed by one that finds it", () =>
    Effect.gen(function* () {
      const { boot, tags, world } = yield* begins("agent")
      world.launcher.vanishes = 1
      yield* Effect.forkDetach(boot)
      yield* settle
      assert.deepStrictEqual(yield* tags, ["WindowRefused", "LaunchPrepared"])
      yield* Effect.forkChild(boot)
      yield* settle
      assert.deepStrictEqual((yield* tags).slice(2), ["ConductorConfirmed", "WatcherStarted"])
      assert.lengthOf(world.launcher.launches, 1)
    })
  )
})

describe("behaviour#first-launch", () => {
  it.effect("the first launch starts the prepared command as generation 1", () =>
    Effect.gen(function* () {
      const { events, world } = yield* starting("agent")
      assert.deepStrictEqual(world.launcher.asked, [kept.id])
      const [confirmed, watcher] = yield* events
      assert.deepInclude(confirmed, {
        _tag: "ConductorConfirmed",
        conductor: identityOf(4711),
        sessionId: "s1",
        began: true
      })
      assert.strictEqual(watcher?._tag, "WatcherStarted")
    })
  )
  it.effect("the first launch of a command passes although it has ended: the watcher reports its end", () =>
    Effect.gen(function* () {
      const { events } = yield* starting("command", { processes: new Map(), files: new Set() })
      assert.deepInclude((yield* events)[0], { _tag: "ConductorConfirmed", sessionId: "", print: false })
    })
  )
  it.effect("the first launch waits at most 15 seconds for an agent's session: it may wait for its first prompt", () =>
    Effect.gen(function* () {
      const { events, tags, world } = yield* starting("agent", { files: new Set() })
      yield* until(14)
      assert.deepStrictEqual(yield* tags, [])
      yield* until(15)
      assert.deepStrictEqual(yield* tags, ["ConductorConfirmed", "WatcherStarted"])
      assert.deepInclude((yield* events)[0], { began: false })
      assert.lengthOf(world.launcher.asked, 1)
    })
  )
  it.effect("an agent that cannot start, or ends before its session began, is tried three times under three ids", () =>
    Effect.gen(function* () {
      const zombie = new Map([[4711, { uid: 1000, condition: "zombie" as const }]])
      for (const change of [
        { processes: new Map(), files: new Set<string>() },
        { processes: zombie, files: new Set<string>() },
        { becomes: () => "no such program" }
      ]) {
        const { events, tags, world } = yield* starting("agent", change)
        assert.deepStrictEqual(yield* tags, ["ValidationFailed"])
        yield* until(29)
        assert.lengthOf(yield* tags, 1)
        yield* until(30)
        yield* until(60)
        const [first, again] = yield* events
        assert.deepInclude(first, { attempt: 1, check: "becomes" in change ? "launch" : "session-file" })
        assert.deepInclude(again, { _tag: "LaunchPrepared", cycle: 0, launchId: "w-g1-launch-2", sessionId: "s1" })
        assert.deepStrictEqual((yield* tags).slice(-2), ["ValidationFailed", "ValidationExhausted"])
        assert.deepStrictEqual(world.launcher.asked, ["w-g1-launch-1", "w-g1-launch-2", "w-g1-launch-3"])
      }
    })
  )
  it.effect(
    "an agent that ended well without a session is not launched again, and it is said where that was looked for",
    () =>
      Effect.gen(function* () {
        const { events, tags, world } = yield* starting("agent", {
          processes: new Map(),
          files: new Set<string>(),
          ended: 0
        })
        yield* until(120)
        assert.deepStrictEqual(yield* tags, ["ValidationFailed", "ValidationExhausted"])
        assert.deepStrictEqual(world.launcher.asked, [kept.id])
        const [failed] = yield* events
        assert.include(
          failed?._tag === "ValidationFailed" ? failed.message : "",
          "no session file of s1; if its program"
        )
      })
  )
  it.effect("an agent that outlived its launcher is ended before the next attempt: two are never at work", () =>
    Effect.gen(function* () {
      const world = worldOf({ processes: new Map(), files: new Set<string>() })
      world.launcher.prepared.set(kept.id, kept)
      world.processes.maySignal = (pid) => pid === 4720
      world.processes.run({ pid: 4720, environment: { SOUFFLEUR_LAUNCH_ID: kept.id } })
      const { context, events } = yield* living(opening("agent"), world)
      const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
      yield* bootstrap(ref).pipe(Effect.provideContext(context), Effect.forkChild)
      yield* until(31)
      assert.deepStrictEqual(world.processes.signals, ["SIGTERM 4720"])
      const [ending, failed] = yield* events
      assert.deepInclude(ending, { _tag: "ProcessEnding", what: "first launch", process: identityOf(4711) })
      assert.deepInclude(failed, { _tag: "ValidationFailed", check: "session-file" })
      assert.deepStrictEqual(world.launcher.asked, [kept.id, "w-g1-launch-2"])
    })
  )
  it.effect("the error of an ended agent says how it ended, and where its output is: nowhere for a window", () =>
    Effect.gen(function* () {
      for (const [change, says] of [
        [{ terminal: "tmux" }, /ended before its session began: its output closed with its window/u],
        [{ terminal: "tmux", ended: 1 }, /ended with exit code 1 before/u],
        [{ terminal: "tmux", ended: "SIGSEGV" }, /ended by SIGSEGV before/u],
        [{ terminal: "headless" }, /see \/.*w-g1-launch-1\.out$/u],
        [{ terminal: "tmux", windowless: true }, /see \/.*w-g1-launch-1\.out$/u]
      ] as const) {
        const { events } = yield* starting("agent", { processes: new Map(), files: new Set<string>(), ...change })
        const [failed] = yield* events
        assert.match(failed?._tag === "ValidationFailed" ? failed.message : "", says)
      }
    })
  )
  it.effect("a launched process that another souffleur claims first is ended, so that it does not run unwatched", () =>
    Effect.gen(function* () {
      const { events, tags, world } = yield* starting("agent", {
        alive: new Set([10, 88]),
        claims: new Map([[4711, ownerOf(88)]])
      })
      assert.deepStrictEqual(world.processes.signals, ["SIGTERM 4711"])
      const [ending, failed] = yield* events
      assert.deepInclude(ending, { _tag: "ProcessEnding", what: "first launch", process: identityOf(4711) })
      assert.deepInclude(failed, { _tag: "ValidationFailed", check: "process" })
      // No other souffleur claims the next attempt.
      world.launcher.becomes = () => ({ pid: 4712 })
      world.processes.run({ pid: 4712 })
      yield* until(30)
      assert.deepStrictEqual((yield* tags).slice(2), ["LaunchPrepared", "ConductorConfirmed", "WatcherStarted"])
      assert.deepInclude((yield* events)[3], { conductor: identityOf(4712) })
    })
  )
  it.effect(
    "a process that another souffleur claims is ended only by the owner of its watch, during the validation",
    () =>
      Effect.gen(function* () {
        const words: ReadonlyArray<WatchIntent> = [
          { _tag: "TakeOwnership", owner: ownerOf(77), over: 1 },
          { _tag: "Release" }
        ]
        for (const word of words) {
          const elsewhere = { alive: new Set([10, 88]), claims: new Map([[4711, ownerOf(88)]]) }
          const { world } = yield* starting(
            "agent",
            elsewhere,
            (watch) => () => Effect.asVoid(Effect.orDie(watch.dispatch(word)))
          )
          yield* until(16)
          assert.deepStrictEqual([world.launcher.asked, world.processes.signals], [[kept.id], []])
        }
      })
  )
  it.effect(
    "a process that another souffleur claims gets no further signal once the watch has another owner, or is over",
    () =>
      Effect.gen(function* () {
        const words: ReadonlyArray<WatchIntent> = [
          { _tag: "TakeOwnership", owner: ownerOf(77), over: 1 },
          { _tag: "Release" }
        ]
        for (const word of words) {
          const claims = new Map([[4711, ownerOf(88)]])
          const { context, world } = yield* starting("agent", { alive: new Set([10, 88]), claims, unkillable: true })
          assert.deepStrictEqual(world.processes.signals, ["SIGTERM 4711"])
          const operator = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Operator" }), context)
          yield* Effect.provideContext(operator.dispatch(word), context)
          yield* until(16)
          assert.deepStrictEqual(world.processes.signals, ["SIGTERM 4711"])
        }
      })
  )
  it.effect("a claimed process that does not end is not launched again, and is taken once its claim is free", () =>
    Effect.gen(function* () {
      const { events, tags, world } = yield* starting("agent", {
        alive: new Set([10, 88]),
        claims: new Map([[4711, ownerOf(88)]]),
        unkillable: true
      })
      yield* until(16)
      assert.deepStrictEqual(
        [world.processes.signals, yield* tags],
        [["SIGTERM 4711", "SIGKILL 4711"], ["ProcessEnding"]]
      )
      world.processes.end(88)
      yield* until(46)
      assert.deepStrictEqual(world.launcher.asked, [kept.id])
      // Told once, however often it was tried.
      assert.deepInclude((yield* events)[1], { _tag: "ConductorConfirmed", conductor: identityOf(4711) })
    })
  )
  it.effect(
    "the first launch keeps one launch file, even after a souffleur died before it removed the earlier one",
    () =>
      Effect.gen(function* () {
        const world = worldOf()
        const again = { ...kept, id: "w-g1-launch-2" }
        for (const order of [kept, again]) world.launcher.prepared.set(order.id, order)
        const [open, first, own] = opening("agent")
        const failed = Event.ValidationFailed.make({
          at: begun,
          attempt: 1,
          check: "launch",
          message: "too slow",
          lastMessageId: 0
        })
        const second = { ...first!, launchId: again.id, digest: `digest of ${again.id}` } as WatchEvent
        const { context } = yield* living([open!, first!, own!, failed, second], world)
        const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
        yield* bootstrap(ref).pipe(Effect.provideContext(context), Effect.forkChild)
        yield* until(31)
        assert.deepStrictEqual([...world.launcher.prepared.keys()], [again.id])
      })
  )
})

describe("behaviour#signs", () => {
  it.effect("the first launch of an agent that chooses its ids is confirmed with the session that it reports", () =>
    Effect.gen(function* () {
      const { events } = yield* starting("agent", { reports: "s7", files: new Set(["s7"]) })
      const [confirmed] = yield* events
      assert.deepInclude(confirmed, { _tag: "ConductorConfirmed", conductor: identityOf(4711), sessionId: "s7" })
    })
  )
  it.effect("an agent that has ended before the first look is confirmed with the session that its launch left", () =>
    Effect.gen(function* () {
      for (const terminal of ["headless", "tmux"] as const) {
        const ended = { processes: new Map(), reports: "s7", files: new Set(["s7"]), terminal }
        const { events, world } = yield* starting("agent", ended)
        yield* until(60)
        assert.deepInclude((yield* events)[0], { _tag: "ConductorConfirmed", sessionId: "s7" })
        assert.deepStrictEqual(world.launcher.asked, [kept.id])
      }
    })
  )
})

describe("behaviour#launch", () => {
  it.effect("the first launch takes its turn among the watches of this machine", () =>
    Effect.gen(function* () {
      const { world } = yield* starting("agent", {}, () => () => Effect.sleep("5 seconds"))
      assert.deepStrictEqual(world.launcher.asked, [])
      yield* until(5)
      assert.deepStrictEqual(world.launcher.asked, [kept.id])
    })
  )
})
