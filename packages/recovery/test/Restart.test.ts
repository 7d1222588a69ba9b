import { assert, describe, it } from "@effect/vitest"
import { LaunchSlots } from "@souffleur/eventlog"
import { Effect } from "effect"
import { exportProvider, restart, standardCompact } from "../src/index.ts"
import { wantsTerminal } from "../src/providers/Restart.ts"
import { closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { identityOf } from "@souffleur/testing"
import { worldOf } from "./RecoveryWorld.ts"

const line = { program: "/bin/make", args: ["night", "$(x)"], environment: { KEY: "k" } }
/** It has ended, and left something running; its first launch is kept. */
const world = () => {
  const one = worldOf({ pid: 81, parent: 1, environment: { SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" } })
  one.launcher.prepared.set("w-g1-launch-1", { id: "w-g1-launch-1", command: line, cwd: "/p", title: "make" })
  return one
}
const providers = [exportProvider, standardCompact, restart]
const cycle = (at = world()) => cycleOf(providers, { comms: null, command: true }, at)

describe("behaviour#restart", () => {
  it.effect("leftovers of the command are ended, and the same command runs again under a new id", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle()
      yield* run
      assert.deepStrictEqual(world.did, ["SIGTERM 81", "launch 5000"])
      assert.deepStrictEqual([...world.launcher.prepared.values()].at(-1), {
        id: "w-g2-c1-restart-1",
        command: line,
        cwd: "/p",
        title: "make",
        place: "headless"
      })
      const [relaunch] = relaunches(yield* log.events)
      assert.deepInclude(relaunch, {
        provider: "restart",
        sessionId: "",
        awaiting: false,
        exportPath: null,
        conductor: identityOf(5000)
      })
      assert.notInclude(JSON.stringify(yield* log.events), "night")
    })
  )
  it("a command wants a terminal where its last lines say so", () => {
    const wants = [
      "the input device is not a TTY",
      "stdin is not a terminal",
      "top: failed tty get: Inappropriate ioctl"
    ]
    for (const line of wants) assert.isTrue(wantsTerminal(["first", line]), line)
    for (const line of ["", "nightly build failed", "a terminal", "tty"]) assert.isFalse(wantsTerminal([line]), line)
  })
  it.effect(
    "a command that said it wants a terminal gets one where this machine makes one, and runs again without",
    () =>
      Effect.gen(function* () {
        const ptyAfter = Effect.fnUntraced(function* (words: string, hasPty: boolean) {
          const at = world()
          at.launcher.hasPty = hasPty
          at.files.write("/state/launches/w-g1-launch-1.out", words)
          yield* (yield* cycle(at)).run
          return at.launcher.launches.map(({ terminal }) => terminal === "own")
        })
        assert.deepStrictEqual(yield* ptyAfter("stdin is not a terminal\n", true), [true])
        assert.deepStrictEqual(yield* ptyAfter("stdin is not a terminal\n", false), [false])
        assert.deepStrictEqual(yield* ptyAfter("failed\n", true), [false])
      })
  )
  it.effect("a souffleur that vanishes right after the launch leaves one command, which the next souffleur takes", () =>
    Effect.gen(function* () {
      const { log, start, vanish, world } = yield* cycle()
      yield* vanish
      yield* inTime(start)
      assert.lengthOf(launches(world), 1)
      assert.deepInclude(relaunches(yield* log.events)[0], { conductor: identityOf(5000) })
    })
  )
  it.effect("a command without its launch file fails closed: it is not guessed", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle(worldOf())
      yield* run
      assert.deepStrictEqual(closedAt(yield* last), ["launch", "the launch file is missing"])
      assert.deepStrictEqual(launches(world), [])
    })
  )
  it.effect("a restart waits for its turn, and starts nothing beside leftovers of the command", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      const turn = () =>
        Effect.sync(
          () => void world.processes.run({ pid: 82, parent: 1, environment: { SOUFFLEUR_LAUNCH_ID: "w-g1-launch-1" } })
        )
      yield* Effect.provideService(run, LaunchSlots, turn)
      assert.deepStrictEqual([closedAt(yield* last)?.[0], launches(world)], ["one writer", []])
    })
  )
  it.effect("a restart is not for an agent, and an agent's providers are not for a command", () =>
    Effect.gen(function* () {
      const agent = yield* cycleOf([restart], { comms: null })
      yield* agent.run
      assert.deepStrictEqual(closedAt(yield* agent.last), ["providers", "no provider applies"])
      const command = yield* cycleOf([exportProvider, standardCompact], { comms: null, command: true })
      yield* command.run
      assert.deepStrictEqual(closedAt(yield* command.last), ["providers", "no provider applies"])
    })
  )
})

describe("behaviour#one-writer", () => {
  it.effect("a launch that an earlier recovery left undecided is settled first: beside its process nothing runs", () =>
    Effect.gen(function* () {
      for (const late of [true, false]) {
        const { last, log, run, world } = yield* cycle()
        const { becomes } = world.launcher
        // Its launcher is late, and there is no room for a tombstone.
        world.launcher.becomes = () => {
          throw new Error("ENOSPC")
        }
        yield* Effect.exit(run)
        world.launcher.becomes = becomes
        const ref = yield* log.ref()
        yield* ref.dispatch({ _tag: "FailClosed", cycle: 1, stage: "recovery", message: "a defect" })
        const launcher = yield* world.launcher.service
        const launch = launcher.launch("w-g2-c1-restart-1")
        if (late) yield* launch
        yield* ref.dispatch({ _tag: "Retry" })
        yield* run
        assert.lengthOf(launches(world), 1)
        if (late)
          assert.deepStrictEqual(closedAt(yield* last), [
            "one writer",
            "process 5000, which an earlier recovery launched, still runs: adopt it, or end it"
          ])
        else {
          assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
          assert.strictEqual((yield* Effect.flip(launch)).message, "the launch was cancelled")
        }
      }
    })
  )
})
