import { assert, describe, it } from "@effect/vitest"
import { Event } from "@souffleur/domain"
import { writeHandoffFile } from "@souffleur/process"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { recovery, standardCompact } from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { type Change, cycleOf, inTime } from "./Cycles.ts"
import { type FakeWorld, fakeDigest } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

const payload = (...lines: ReadonlyArray<string>) => ["CONTEXT_RECOVERY_PAYLOAD_V1", ...lines].join("\n")
/** Runs a hand-off with this payload in comms; messages up to 7 were there at the last launch. */
const handoff = (id: number, text: string, change: Change = { trigger: "handoff" }) => {
  const world = worldOf({ pid: 4711, parent: 1 })
  world.comms.payload = { id, text }
  return cycleOf([standardCompact], change, world)
}
/** The permission and the first line of the prompt that the successor got. */
const got = (world: FakeWorld) => [
  world.agent.orders.at(-1)?.permission,
  world.agent.orders.at(-1)?.prompt.split("\n")[0]
]
const plain = ["acceptEdits", "/conductor --recovery-bootstrap"]
const asks = payload("permission_mode: bypassPermissions", "resume_prompt: do this", "", "then SECRET")

describe("behaviour#payload", () => {
  it.effect("a payload sets the whole prompt and the requested permission, under the ceiling", () =>
    Effect.gen(function* () {
      for (const [maxExternalPermission, effective] of [
        ["bypassPermissions", "bypassPermissions"],
        ["acceptEdits", "acceptEdits"]
      ] as const) {
        const { log, run, world } = yield* handoff(8, asks, { trigger: "handoff", settings: { maxExternalPermission } })
        yield* run
        assert.deepStrictEqual(got(world), [effective, "do this"])
        assert.include(world.agent.orders.at(-1)?.prompt, "do this\n\nthen SECRET\n")
        assert.include(world.agent.orders.at(-1)?.prompt, "it was not a crash")
        // No launch of the cycle is above the ceiling, the compact session's included.
        assert.deepStrictEqual([...new Set(world.agent.orders.map(({ permission }) => permission))], [effective])
        assert.notInclude(JSON.stringify(yield* log.events), "SECRET")
      }
    })
  )
  it.effect("a payload that a launch has consumed, or a payload of a crash, is not used", () =>
    Effect.gen(function* () {
      for (const [id, trigger] of [
        [7, "handoff"],
        [8, "pid"]
      ] as const) {
        const { run, world } = yield* handoff(id, asks, {
          trigger,
          settings: { maxExternalPermission: "bypassPermissions" }
        })
        yield* run
        assert.deepStrictEqual(got(world), plain)
        assert.notInclude(world.agent.orders.at(-1)?.prompt, "SECRET")
      }
    })
  )
  it.effect("an invalid permission becomes acceptEdits, with a warning in the log that repeats nothing of it", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* handoff(8, payload("permission_mode: SECRET", "colour: SECRET"), {
        trigger: "handoff",
        settings: { maxExternalPermission: "bypassPermissions" }
      })
      yield* run
      assert.deepStrictEqual(got(world), plain)
      const events = yield* log.events
      const read = events.find((event) => event._tag === "StepSucceeded" && event.step === "0 payload")
      assert.deepStrictEqual(read?._tag === "StepSucceeded" ? read.outcome : undefined, {
        messageId: 8,
        digest: fakeDigest(payload("permission_mode: SECRET", "colour: SECRET")),
        requested: "invalid",
        asked: false,
        warnings: ["line 3 of the payload has an unknown key"]
      })
      assert.notInclude(JSON.stringify(events), "SECRET")
    })
  )
  it.effect("a newer payload before the launch is not taken, and does not count as a change", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* handoff(8, payload("resume_prompt: go on"))
      world.agent.onExport = () => (world.comms.payload = { id: 9, text: payload("resume_prompt: another") })
      const compacted = world.agent.session.boundary.bind(world.agent.session)
      world.agent.session.boundary = () => (world.agent.onExport(), compacted())
      yield* run
      assert.deepStrictEqual(got(world), plain)
      assert.notInclude(yield* Effect.map(log.events, (events) => events.map(({ _tag }) => _tag)), "WordRefused")
    })
  )
  it.effect("a comms outage gives the defaults", () =>
    Effect.gen(function* () {
      const { run, world } = yield* handoff(8, asks)
      world.comms.out = "locked"
      yield* run
      assert.deepStrictEqual(got(world), plain)
    })
  )
  for (const when of ["before", "after"] as const) {
    it.effect(
      `the request is fixed at the beginning: a crash ${when} any append and a newer payload change nothing`,
      () =>
        Effect.gen(function* () {
          for (let append = 1; ; append++) {
            const { log, run, start, world } = yield* handoff(8, payload("permission_mode: acceptEdits"), {
              trigger: "handoff",
              settings: { maxExternalPermission: "bypassPermissions" }
            })
            const crashed = yield* inTime(log.abandonAt(append, when, start))
            const fixed = (yield* log.events).some((event) => event._tag === "StepSucceeded")
            world.comms.payload = { id: 9, text: asks }
            yield* run
            // Read before the crash: that one. Not read yet: the newest.
            assert.deepStrictEqual(
              got(world),
              fixed ? plain : ["bypassPermissions", "do this"],
              `crashed at append ${append}`
            )
            if (!crashed) return assert.isAbove(append, 10)
          }
        })
    )
  }
})

describe("behaviour#words-in-comms, security#commsdb", () => {
  it.effect("words that were changed before the launch are not used, and that is reported", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* handoff(8, payload("resume_prompt: go on"))
      world.agent.onExport = () => (world.comms.payload = { id: 8, text: payload("resume_prompt: INJECTED") })
      const compacted = world.agent.session.boundary.bind(world.agent.session)
      world.agent.session.boundary = () => (world.agent.onExport(), compacted())
      yield* run
      assert.deepStrictEqual(got(world), plain)
      const told = (yield* log.events).filter((event) => event._tag === "WordRefused")
      assert.deepStrictEqual(
        told.map(({ what, message }) => [what, message]),
        [["payload", "message 8 in comms was changed after it was read: its words are not taken"]]
      )
      assert.notInclude(JSON.stringify(yield* log.events), "INJECTED")
    })
  )
})

describe("behaviour#words-in-comms", () => {
  it.effect("a payload without the right to send it is reported once, however often it is seen", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* handoff(8, payload("resume_prompt: go on"))
      world.comms.refused = { id: 9, from: "another \u001b[31msession" }
      yield* run
      assert.deepStrictEqual(got(world)[1], "go on")
      const told = (yield* log.events).filter((event) => event._tag === "WordRefused")
      assert.strictEqual(told.length, 1)
      assert.include(told[0]?.message, 'message 9 in comms of "another \\u001b[31msession" is not taken as a payload')
    })
  )
})

/** A hand-off that the agent itself asked for, in a watch without comms, with these words in a file. */
const ownRequest = Effect.fnUntraced(function* (
  text: string,
  happens: (file: string) => Effect.Effect<void> = () => Effect.void,
  crashAt = Infinity
) {
  const fs = yield* FileSystem.FileSystem
  const stateDir = yield* fs.makeTempDirectoryScoped()
  const world = worldOf({ pid: 4711, parent: 1 })
  world.comms.payload = { id: 99, text: payload("resume_prompt: of comms") }
  const layer = worldLayer(world, stateDir, { maxExternalPermission: "bypassPermissions" })
  const digest = yield* Effect.provide(writeHandoffFile(stateDir, "w-1-00ff", text), layer)
  const asked = Event.HandoffRequested.make({
    at: 0,
    sessionId: "s1",
    request: "w-1-00ff",
    digest,
    taskCount: 0,
    taskFingerprint: "",
    retries: 1
  })
  const history = recovering({ comms: null, trigger: "handoff", ceiling: "bypassPermissions" }).map((event) =>
    event._tag === "ContextRecoveryRequested" ? asked : event
  )
  const log = yield* crashingLog(history)
  yield* happens(`${stateDir}/requests/w-1-00ff.txt`)
  const run = Effect.gen(function* () {
    const ref = yield* log.ref()
    const watch = yield* ref.state
    if (watch.recovery !== undefined) yield* recovery(ref, watch, [standardCompact])
  }).pipe(Effect.provide(layer))
  const crashed = yield* inTime(log.abandonAt(crashAt, "after", run))
  if (crashed) yield* inTime(run)
  return { world, crashed, events: yield* log.events, kept: yield* fs.readDirectory(`${stateDir}/requests`) }
})

describe("behaviour#words-of-the-agent", () => {
  it.effect(
    "the file of an agent's words is removed once its successor has them, wherever souffleur died meanwhile",
    () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { crashed, kept, world } = yield* ownRequest(asks, undefined, append)
          assert.deepStrictEqual(
            [got(world), kept],
            [["bypassPermissions", "do this"], []],
            `crashed at append ${append}`
          )
          if (!crashed) return assert.isAbove(append, 10)
        }
      }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("an agent's own request works without comms: its words come from its file, and none are in the log", () =>
    Effect.gen(function* () {
      const { events, kept, world } = yield* ownRequest(asks)
      assert.deepStrictEqual(got(world), ["bypassPermissions", "do this"])
      // The successor has heard it.
      assert.deepStrictEqual(kept, [])
      assert.include(world.agent.orders.at(-1)?.prompt, "do this\n\nthen SECRET\n")
      assert.notInclude(JSON.stringify(events), "SECRET")
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("an agent's request with lost words gets the defaults and a warning", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      for (const happens of [
        fs.remove,
        (file: string) => fs.writeFileString(file, payload("resume_prompt: of somebody else"))
      ]) {
        const { events, world } = yield* ownRequest(asks, (file) => Effect.orDie(happens(file)))
        assert.deepStrictEqual(got(world), ["acceptEdits", "Continue the work of this project."])
        assert.include(JSON.stringify(events), "the words of the agent's request can no longer be read")
      }
    }).pipe(Effect.provide(HostServices.layer))
  )
})
