import { assert, describe, it } from "@effect/vitest"
import { claudeCode } from "@souffleur/agents"
import { type CommsSnapshot, Errands, Event, evolve, initial } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import { commsCheck } from "../src/doctor/CommsCheck.ts"

const snapshot: CommsSnapshot = {
  conductor: Option.none(),
  souffleur: Option.some("confirmed"),
  taskCount: 3,
  taskFingerprint: "3",
  lastMessageId: 0
}

/** Answers each call with the state of a sound file, after another program has held it for some calls. */
const heldFor = (calls: number) => {
  let left = calls
  return Layer.succeed(Errands, {
    ask: () =>
      Effect.sync(() =>
        JSON.stringify(left-- > 0 ? { no: { reason: "locked", problem: "database is locked" } } : { done: snapshot })
      )
  })
}

const settings = loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/h" }, flags: {} })

/** A watch of that file that has not ended. */
const watched = (id: string) => ({
  id,
  watch: evolve(
    initial,
    Event.WatchOpened.make({ at: 0, project: id, comms: "/p/comms.db", pid: 2, sessionId: "s", observe: false })
  )
})

/** Returns the findings that doctor has after these seconds, where a program holds comms for some calls. */
const checked = Effect.fnUntraced(function* (calls: number, seconds: number, watches: ReadonlyArray<string> = []) {
  const here = Layer.mergeAll(FileSystem.layerNoop({ exists: () => Effect.succeed(true) }), Path.layer, heldFor(calls))
  const known = yield* Effect.provide(settings, HostServices.layer)
  const check = yield* Effect.forkChild(Effect.provide(commsCheck(known, "/p", watches.map(watched)), here))
  yield* TestClock.adjust(`${seconds} seconds`)
  const found = yield* Effect.fromOption(Option.fromUndefinedOr(check.pollUnsafe())).pipe(Effect.flatten, Effect.option)
  return Option.map(found, ([comms]) => [comms?.check, comms?.level, comms?.detail])
})

describe("behaviour#claims", () => {
  it.effect("doctor names the watches that share a comms file", () =>
    Effect.gen(function* () {
      const [, level, detail] = Option.getOrThrow(yield* checked(0, 0, ["/a", "/b"]))
      assert.strictEqual(level, "wrong")
      assert.include(detail, "2 watches (/a, /b)")
    })
  )
})

describe("command-line#doctor", () => {
  it.effect("doctor looks again while a program holds comms for a moment, and finds it well", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* checked(3, 0)))
      const well = ["comms", "ok", "/p/comms.db has what souffleur needs, 3 tasks"]
      assert.deepStrictEqual(Option.getOrThrow(yield* checked(3, 5)), well)
    })
  )

  it.effect("doctor finds comms wrong that a program holds for longer than 5 s", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* checked(1000, 4)))
      const wrong = ["comms", "wrong", "/p/comms.db: database is locked"]
      assert.deepStrictEqual(Option.getOrThrow(yield* checked(1000, 6)), wrong)
    })
  )
})
