import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  Event,
  holding,
  leastPin,
  lower,
  overreachOf,
  parseConfigFile,
  type Pin,
  pinOf,
  type WatchIntent,
  wordOf
} from "../src/index.ts"
import { at, given, opened, owned, started, watching } from "./Given.ts"

const bypass: Pin = { ...leastPin, ceiling: "bypassPermissions" }
const withAgent = (digest: string | null, ceiling: Pin["ceiling"] = "acceptEdits"): Pin => ({
  ...leastPin,
  ceiling,
  programs: { ...leastPin.programs, AGENT_COMMAND: digest }
})
const report = (said: Pin): WatchIntent => ({ _tag: "ReportConfig", said })
const operator = { _tag: "Operator" } as const
const overreached = (said: Pin, keys: (typeof Event.ConfigOverreached.Type)["keys"]) =>
  Event.ConfigOverreached.make({ at: 1000, said, keys })
const openedWith = (pin: Pin) => [{ ...opened, pin }, owned, ...watching.slice(2)]

describe("behaviour#trust", () => {
  describe("a config file beside a pin", () => {
    it("a ceiling is the lower of two", () => {
      for (const one of ["acceptEdits", "bypassPermissions"] as const)
        for (const other of ["acceptEdits", "bypassPermissions"] as const)
          assert.strictEqual(lower(one, other), one === other ? one : "acceptEdits")
    })
    it("a higher ceiling and each program that is another, gone or new ask for more; a lower ceiling asks for nothing", () => {
      assert.deepStrictEqual(overreachOf(bypass, leastPin), ["MAX_EXTERNAL_PERMISSION"])
      assert.deepStrictEqual(overreachOf(leastPin, bypass), [])
      assert.deepStrictEqual(overreachOf(withAgent("b"), withAgent("a")), ["AGENT_COMMAND"])
      assert.deepStrictEqual(overreachOf(withAgent(null), withAgent("a")), ["AGENT_COMMAND"])
      const all: Pin = {
        ...leastPin,
        ceiling: "bypassPermissions",
        programs: {
          AGENT_COMMAND: "a",
          AGENT_ENVIRONMENT: "d",
          RECOVERY_COMMAND: "e",
          EXPORT_COMMAND: "b",
          UNTIL: "u",
          TERMINAL_COMMAND: "e",
          NOTIFY: "c"
        }
      }
      assert.deepStrictEqual(overreachOf(all, leastPin), [
        "MAX_EXTERNAL_PERMISSION",
        "AGENT_COMMAND",
        "AGENT_ENVIRONMENT",
        "RECOVERY_COMMAND",
        "EXPORT_COMMAND",
        "UNTIL",
        "TERMINAL_COMMAND",
        "NOTIFY"
      ])
      assert.deepStrictEqual(overreachOf(all, all), [])
    })
    it("beside what holds a file counts with its lower ceiling, with its other keys, and with no program of its own", () => {
      const file = (text: string) => parseConfigFile(text)
      const held = {
        ...leastPin,
        ceiling: "acceptEdits",
        programs: {
          AGENT_COMMAND: "claude-2",
          AGENT_ENVIRONMENT: null,
          RECOVERY_COMMAND: null,
          EXPORT_COMMAND: null,
          UNTIL: null,
          TERMINAL_COMMAND: null,
          NOTIFY: null
        }
      } as const
      const raised = holding(
        file(
          "MAX_EXTERNAL_PERMISSION=bypassPermissions\nAGENT_COMMAND=evil\nAGENT_ENVIRONMENT=KEY\nRECOVERY_COMMAND=evil\nNOTIFY=command:evil\nFORCE_COMPACT=7"
        ),
        held
      )
      assert.deepStrictEqual(wordOf(raised), held)
      assert.strictEqual(raised.values.get("FORCE_COMPACT")?.value, "7")
      const lowered = holding(file("MAX_EXTERNAL_PERMISSION=acceptEdits"), { ...held, ceiling: "bypassPermissions" })
      assert.strictEqual(wordOf(lowered).ceiling, "acceptEdits")
      assert.strictEqual(wordOf(holding(file(""), { ...held, ceiling: "bypassPermissions" })).ceiling, "acceptEdits")
      const kept = holding(file("MAX_EXTERNAL_PERMISSION=bypassPermissions"), { ...held, ceiling: "bypassPermissions" })
      assert.strictEqual(wordOf(kept).ceiling, "bypassPermissions")
    })
    it("a higher ceiling of use asks for more, and so does none or one that cannot be read; a lower one counts at once", () => {
      const of = (text: string) => wordOf(parseConfigFile(text))
      const limited = "MAX_TOKENS=500\nMAX_DOLLARS=2.50\nMAX_TIME=90 minutes"
      const held = of(limited)
      assert.deepStrictEqual(held.limits, { MAX_TOKENS: "500", MAX_DOLLARS: "2.50", MAX_TIME: "90 minutes" })
      for (const [text, keys, tokens] of [
        [limited, [], "500"],
        ["MAX_TOKENS=501\nMAX_DOLLARS=2.51\nMAX_TIME=2 hours", ["MAX_TOKENS", "MAX_DOLLARS", "MAX_TIME"], "500"],
        ["", ["MAX_TOKENS", "MAX_DOLLARS", "MAX_TIME"], "500"],
        ["MAX_TOKENS=many\nMAX_DOLLARS=2.5\nMAX_TIME=1.5 hours", ["MAX_TOKENS"], "500"],
        ["MAX_TOKENS=9\nMAX_DOLLARS=1\nMAX_TIME=1 minute", [], "9"]
      ] as const) {
        const file = parseConfigFile(text)
        assert.deepStrictEqual(overreachOf(wordOf(file), held), keys, text)
        const { limits } = wordOf(holding(file, held))
        assert.strictEqual(limits.MAX_TOKENS, tokens, text)
        assert.deepStrictEqual(overreachOf({ ...held, limits }, held), [], text)
      }
      assert.deepStrictEqual(overreachOf(held, of("")), [], "a ceiling where there was none is lower")
    })
    it("quiet hours and intervals are those of the pin: another one, a new one and one that is gone ask for more", () => {
      const of = (text: string) => wordOf(parseConfigFile(text))
      const held = of("QUIET_HOURS=23:00-07:00\nSTOP_GRACE=20 seconds")
      for (const [text, keys] of [
        ["QUIET_HOURS=23:00-07:00\nSTOP_GRACE=20 seconds\nTRIM_CHARS=9", []],
        ["STOP_GRACE=20 seconds\nWATCHER_INTERVAL=13 days", ["QUIET_HOURS", "WATCHER_INTERVAL"]],
        ["QUIET_HOURS=00:00-23:59\nSTOP_GRACE=2 seconds", ["QUIET_HOURS", "STOP_GRACE"]]
      ] as const) {
        const file = parseConfigFile(text)
        assert.sameMembers([...overreachOf(of(text), held)], [...keys], text)
        assert.deepStrictEqual(wordOf(holding(file, held)).pace, held.pace, text)
      }
    })
    it.effect("the log gets digests alone", () =>
      Effect.gen(function* () {
        const word = wordOf(
          parseConfigFile('AGENT_COMMAND=["claude","--mcp-config","KEY"]\nMAX_EXTERNAL_PERMISSION=root')
        )
        assert.strictEqual(word.ceiling, "acceptEdits")
        const pin = yield* pinOf(word)
        assert.match(pin.programs.AGENT_COMMAND!, /^[0-9a-f]{64}$/u)
        assert.strictEqual(pin.programs.EXPORT_COMMAND, null)
      })
    )
  })

  describe("a pin", () => {
    it("the pin of a watch is given at its opening, and is the least where none was given", () => {
      assert.deepStrictEqual(given(...openedWith(bypass)).watch.pin, bypass)
      assert.deepStrictEqual(given(opened).watch.pin, leastPin)
    })
    it("a file that asks for more is told once, again where it asks for something else, and when it stops", () => {
      const [first, second] = [bypass, withAgent("x", "bypassPermissions")]
      given(...watching)
        .when(report(leastPin))
        .then()
      given(...watching)
        .when(report(first))
        .then(overreached(first, ["MAX_EXTERNAL_PERMISSION"]))
      const told = [...watching, overreached(first, ["MAX_EXTERNAL_PERMISSION"])]
      given(...told)
        .when(report(first))
        .then()
      given(...told)
        .when(report(second))
        .then(overreached(second, ["MAX_EXTERNAL_PERMISSION", "AGENT_COMMAND"]))
      given(...told)
        .when(report(leastPin))
        .then(Event.ConfigWithdrawn.make({ at: 1000 }))
      given(...told, Event.ConfigWithdrawn.make({ at: 1000 }))
        .when(report(leastPin))
        .then()
      assert.deepStrictEqual(given(...told).watch.pin, leastPin)
    })
    it("a program that is another than the one before, of the same key, is told too", () => {
      const told = [...watching, overreached(withAgent("x"), ["AGENT_COMMAND"])]
      given(...told)
        .when(report(withAgent("x")))
        .then()
      given(...told)
        .when(report(withAgent("y")))
        .then(overreached(withAgent("y"), ["AGENT_COMMAND"]))
    })
    it("the known programs stay where they were not read", () => {
      const told = [...watching, overreached(withAgent("x"), ["AGENT_COMMAND"])]
      given(...told)
        .when({ _tag: "ReportConfig", said: { ceiling: "acceptEdits", limits: null, pace: null, programs: null } })
        .then()
    })
    it("the pin changes only by a person's word, and an equal pin is no event", () => {
      const trust: WatchIntent = { _tag: "Trust", pin: bypass }
      given(...watching)
        .when(trust)
        .thenRefused("never")
      given(...watching)
        .when(trust, operator)
        .then(Event.TrustGiven.make({ at: 1000, pin: bypass, by: "config" }))
      given(...openedWith(bypass))
        .when(trust, operator)
        .then()
    })
    it("an allowed excess is no longer told, and the rest of the excess still is", () => {
      const said = withAgent("x", "bypassPermissions")
      const told = [...watching, overreached(said, ["MAX_EXTERNAL_PERMISSION", "AGENT_COMMAND"])]
      const { watch } = given(...told, Event.TrustGiven.make({ at, pin: bypass, by: "retry" }))
      assert.deepStrictEqual(watch.overreach, { said, keys: ["AGENT_COMMAND"] })
      assert.strictEqual(
        given(...told, Event.TrustGiven.make({ at, pin: said, by: "config" })).watch.overreach,
        undefined
      )
    })
    it("a file that asks for more is no sign that souffleur goes on", () => {
      const restored = Event.SouffleurRestored.make({ at, reason: "died", over: 1, restorations: 2 })
      const { watch } = given(...watching, restored, overreached(bypass, ["MAX_EXTERNAL_PERMISSION"]))
      assert.strictEqual(watch.restored?.restorations, 2)
    })
  })

  describe("a launch", () => {
    const launch = (effective: Pin["ceiling"]): WatchIntent => ({
      _tag: "PrepareLaunch",
      cycle: 1,
      launchId: "l1",
      digest: "d",
      sessionId: "s2",
      requested: "bypassPermissions",
      effective
    })
    it("a launch is never above the pin, for any caller", () => {
      given(...watching, started(1))
        .when(launch("bypassPermissions"))
        .thenRefused("never")
      given(...watching, started(1))
        .when(launch("acceptEdits"))
        .thenTags("LaunchPrepared")
      given(...openedWith(bypass), started(1))
        .when(launch("bypassPermissions"))
        .thenTags("LaunchPrepared")
    })
    it("a run is not opened with a launch above its own ceiling", () => {
      const run = {
        kind: "agent",
        launch: { launchId: "l", digest: "d", requested: "bypassPermissions", effective: "bypassPermissions" }
      } as const
      const open: WatchIntent = {
        _tag: "Open",
        project: "/p",
        comms: null,
        pid: 0,
        sessionId: "s",
        observe: false,
        run
      }
      given().when(open).thenRefused("never")
      given()
        .when({ ...open, pin: bypass })
        .thenTags("WatchOpened", "LaunchPrepared")
    })
  })

  describe("retry with a ceiling", () => {
    const retry = (permission: Pin["ceiling"]): WatchIntent => ({ _tag: "Retry", permission })
    const granted = Event.TrustGiven.make({ at: 1000, pin: bypass, by: "retry" })
    const closed = Event.RecoveryFailedClosed.make({ at, cycle: 1, stage: "launch", message: "it cannot be found" })
    it("a retry with a ceiling pins it, and tries again a recovery that failed closed", () => {
      given(...watching)
        .when(retry("bypassPermissions"), operator)
        .then(granted)
      given(...watching, started(1), closed)
        .when(retry("bypassPermissions"), operator)
        .thenTags("TrustGiven", "RecoveryRetried", "RecoveryStarted")
    })
    it("a retry with a ceiling keeps the pinned programs, and is no event where the ceiling holds already", () => {
      const pinned = openedWith(withAgent("x"))
      given(...pinned)
        .when(retry("bypassPermissions"), operator)
        .then({ ...granted, pin: withAgent("x", "bypassPermissions") })
      given(...pinned)
        .when(retry("acceptEdits"), operator)
        .then()
    })
    it("a retry with a ceiling counts only from a person", () => {
      given(...watching)
        .when(retry("bypassPermissions"))
        .thenRefused("never")
    })
  })
})
