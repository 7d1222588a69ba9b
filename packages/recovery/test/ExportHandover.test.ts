import { Event, evolve, initial, type Settings, type WatchEvent } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import {
  continueTurn,
  exportProvider,
  handover,
  promptFromExport,
  recovery,
  resumeSession,
  smallHandoff,
  standardCompact
} from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { relaunches } from "./Cycles.ts"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

const providers = [resumeSession, continueTurn, handover, exportProvider, standardCompact, smallHandoff]
const history = [
  ...recovering({ trigger: "handover" }).slice(0, -2),
  Event.AgentChosen.make({ at: 0, from: "claude", agent: "codex" }),
  Event.RecoveryStarted.make({ at: 0, cycle: 1, purpose: "relaunch", trigger: "handover" })
]

/** Returns the stage at which a recovery failed closed. */
const closedIn = (events: ReadonlyArray<WatchEvent>) =>
  events.find((event) => event._tag === "RecoveryFailedClosed")?.stage

/** Runs the recovery of a hand-over, against real files. */
const handedOver = Effect.fnUntraced(function* (world = worldOf(), settings: Partial<Settings["Service"]> = {}) {
  const fs = yield* FileSystem.FileSystem
  const stateDir = yield* fs.makeTempDirectoryScoped()
  const log = yield* crashingLog(history)
  yield* Effect.gen(function* () {
    const ref = yield* log.ref()
    yield* recovery(ref, yield* ref.state, providers)
  }).pipe(Effect.provide(worldLayer(world, stateDir, settings)))
  const events = yield* log.events
  return { world, events, providers: relaunches(events).map(({ provider }) => provider) }
})

describe("behaviour#hand-over", () => {
  it.effect("a hand-over stops the agent that runs, and begins a session with an export of its conversation", () =>
    Effect.gen(function* () {
      const { providers: by, world } = yield* handedOver(worldOf({ pid: 4711, parent: 1 }))
      assert.deepStrictEqual(by, ["handover"])
      assert.deepStrictEqual(world.did, ["SIGTERM 4711", "export s1", "launch 5000"])
      const order = world.agent.orders.at(-1)
      assert.strictEqual(order?.session._tag, "Fresh")
      assert.include(
        order?.prompt,
        "A person has handed this work over to you. Another agent, claude, did it until now"
      )
      assert.notInclude(order?.prompt, "/conductor")
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("an agent that cannot be launched is refused before the old one is stopped", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 })
      world.agent.missing = true
      const { events } = yield* handedOver(world)
      assert.deepStrictEqual([closedIn(events), world.did], ["hand-over", []])
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect(
    "a conversation that is too large to be handed over is cut, and is never compacted in its own session",
    () =>
      Effect.gen(function* () {
        const world = worldOf()
        world.agent.exported = `# Export\n${"word ".repeat(60_000)}\nits newest words\n`
        const { events, providers: by } = yield* handedOver(world, { forceCompactThresholdTokens: 1000 })
        const escalated = events.flatMap((event) =>
          event._tag === "RecoveryEscalated" ? [`${event.from} to ${event.to}`] : []
        )
        assert.deepStrictEqual(escalated, ["handover to small_handoff"])
        assert.deepStrictEqual([by, world.launcher.compacted], [["small_handoff"], 0])
      }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("a hand-over fails closed where there is no export, and nothing of the conversation is resumed", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.exportFails = true
      const { events } = yield* handedOver(world)
      assert.strictEqual(closedIn(events), "hand-off")
      assert.lengthOf(world.launcher.launches, 0)
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("a hand-over fails closed where its agent cannot be launched, and stays chosen", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.missing = true
      const { events } = yield* handedOver(world)
      assert.strictEqual(closedIn(events), "hand-over")
      const watch = [...history, ...events].reduce(evolve, initial)
      assert.deepStrictEqual([watch.agent, watch.handedFrom], ["codex", "claude"])
    }).pipe(Effect.provide(HostServices.layer))
  )
  it("a chosen agent gets no command of another one, also with comms", () => {
    const chosen = { ...history.reduce(evolve, initial), handedFrom: undefined }
    assert.match(promptFromExport(chosen, { path: "/e" }, undefined), /^Continue the work of this project\./u)
  })
})

describe("behaviour#launch", () => {
  it.effect("a recovery in tmux or kitty is no print mode, but of an agent that knows no other", () =>
    Effect.gen(function* () {
      for (const terminal of ["headless", "tmux", "kitty"] as const)
        for (const windowless of [false, true]) {
          const world = worldOf({ pid: 4711, parent: 1 })
          world.launcher.terminals = [terminal]
          world.agent.windowless = windowless
          const { events } = yield* handedOver(world)
          const ordered = terminal === "headless"
          assert.deepStrictEqual(
            world.agent.orders.map(({ print }) => print),
            [ordered, ordered]
          )
          const launched = events.find(({ _tag }) => _tag === "ConductorRelaunched")
          assert.deepInclude(launched, { print: ordered || windowless })
        }
    }).pipe(Effect.provide(HostServices.layer))
  )
})
