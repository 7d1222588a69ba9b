import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { evolve, initial, utc, type Watch, type WatchEvent } from "@souffleur/domain"
import { HostServices } from "@souffleur/node"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { makeWatchScreen, type Telling } from "../src/watching/WatchScreen.ts"
import { recordedOf, screenStage, type ScreenOptions } from "./ScreenStage.ts"

const telling: Telling = { how: "little", words: true, zone: utc }
const at = examples.ConductorConfirmed.at
const opened = { ...examples.WatchOpened, comms: null }
const firstLaunch = {
  ...examples.LaunchPrepared,
  cycle: 0,
  launchId: "l1",
  requested: examples.LaunchPrepared.effective
}
const confirmed = examples.ConductorConfirmed
const relaunched = { ...examples.ConductorRelaunched, launchId: "l2" }
const completed = examples.ConductorCompleted

const stage = Effect.fnUntraced(function* (options: ScreenOptions, how: Telling = telling, first: Watch = initial) {
  const the = yield* screenStage(options)
  yield* TestClock.setTime(at)
  const screen = yield* Effect.provide(makeWatchScreen("opera-1507", first, how), the.layer)
  let watch = first
  let revision = 0
  return {
    ...the,
    screen,
    /** Tells these events, one after the other. */
    tells: Effect.fnUntraced(function* (...events: ReadonlyArray<WatchEvent>) {
      for (const recorded of recordedOf(events, revision + 1)) {
        watch = evolve(watch, recorded.event)
        revision += 1
        yield* Effect.provide(screen.tell(recorded, watch), the.layer)
      }
    })
  }
})
const services = Layer.merge(NodeServices.layer, HostServices.layer)
it.layer(services)((it) => {
  describe("behaviour#restart", () => {
    it.effect(
      "the output of a command in a window is left to it, its last words are shown, and a line says where it runs",
      () =>
        Effect.gen(function* () {
          const the = yield* stage({ terminal: true, windowed: true })
          yield* the.prints("l1", "drawn\nall over\n".repeat(9))
          yield* the.tells({ ...opened, kind: "command" }, firstLaunch, confirmed, completed)
          const [began, ...rest] = the
            .said()
            .replaceAll(/\d\d:\d\d:\d\d/gu, "TIME")
            .split("\n")
          assert.strictEqual(
            began,
            `! ▸ TIME the command runs (pid ${confirmed.conductor.pid}) as opera-1507, in a window of its own`
          )
          assert.deepStrictEqual(rest, [
            "all over",
            "drawn",
            "all over",
            "drawn",
            "all over",
            "! ▸ TIME the command finished",
            ""
          ])
          const piped = yield* stage({ terminal: false, windowed: true })
          yield* piped.prints("l1", "read by a program\n".repeat(9))
          yield* piped.tells({ ...opened, kind: "command" }, firstLaunch, confirmed, completed)
          assert.include(piped.said(), "read by a program\n".repeat(9))
        })
    )
  })

  describe("command-line#screen", () => {
    it.effect("the agent's words are on standard output and ours on standard error, each before what follows it", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: true })
        yield* the.prints("l1", "one\nhalf a li")
        yield* the.tells(opened, firstLaunch, confirmed)
        yield* the.tells(examples.ConductorDied)
        yield* the.prints("l2", "two\n")
        yield* the.tells(relaunched, completed)
        const lines = the
          .said()
          .replaceAll(/\d\d:\d\d:\d\d/gu, "TIME")
          .split("\n")
        assert.strictEqual(lines[0], `! ▸ TIME the agent runs (pid ${confirmed.conductor.pid}) as opera-1507`)
        assert.deepStrictEqual(lines.slice(1, 3), ["one", "half a li"])
        assert.match(lines[3]!, /^! ▸ TIME the agent died: /u)
        assert.match(lines[4]!, /^! ▸ TIME brought back/u)
        assert.deepStrictEqual(lines.slice(5), ["two", "! ▸ TIME the agent finished", ""])
      })
    )
    it.effect("a colour of the agent ends before a line of souffleur, and at the end of its output", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: true, colour: true })
        yield* the.prints("l1", "\u001B[8;30;40mhidden\n")
        yield* the.tells(opened, firstLaunch, confirmed)
        yield* the.tells(examples.ConductorDied)
        yield* the.prints("l2", "\u001B[31mred")
        yield* the.tells(relaunched, completed)
        const lines = the.said().split("\n")
        assert.strictEqual(lines[1], "\u001B[30;40mhidden")
        assert.isTrue(lines[2]!.startsWith("\u001B[0m! <our mark>31m▸ "), lines[2])
        assert.deepStrictEqual(lines.slice(4, 5), ["\u001B[31mred\u001B[0m"])
        assert.match(lines[5]!, /^! .*▸ .* the agent finished/u)
      })
    )
    it.effect("the words of an agent are shown as they come, without any event", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: false })
        yield* the.tells(opened, firstLaunch, confirmed)
        yield* Effect.forkChild(Effect.provide(the.screen.follow, the.layer))
        yield* the.prints("l1", "one\n")
        yield* Effect.repeat(TestClock.adjust("200 millis"), { until: () => the.said().endsWith("one\n") })
        yield* the.prints("l1", "two\n")
        yield* Effect.repeat(TestClock.adjust("200 millis"), { until: () => the.said().endsWith("one\ntwo\n") })
      })
    )
    it.effect("an agent that printed nothing here is quoted at the end by its last words", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: true })
        the.world.agent.answers.set(confirmed.sessionId, "All tests pass.")
        yield* the.tells(opened, confirmed, completed)
        assert.match(the.said(), /\nAll tests pass\.\n! ▸ [\d:]+ the agent finished\n$/u)
      })
    )
    it.effect("a pipe gets no word that an agent without a window did not print", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: false })
        the.world.agent.answers.set(confirmed.sessionId, "All tests pass.")
        yield* the.prints("l1", "")
        yield* the.tells(opened, firstLaunch, confirmed, completed)
        assert.notInclude(the.said(), "All tests pass.")
      })
    )
    it.effect(
      "an output that broke off ends its line before the next agent's, and our line begins one, in a pipe too",
      () =>
        Effect.gen(function* () {
          const the = yield* stage({ terminal: false })
          yield* the.prints("l1", '{"torn":')
          yield* the.prints("l1", "warned", "stderr")
          yield* the.tells(opened, firstLaunch, confirmed)
          yield* the.tells(examples.ConductorDied)
          yield* the.prints("l2", '{"whole":1}\n')
          yield* the.tells(relaunched, completed)
          const lines = the.said().replaceAll(/▸ .*/gu, "▸").split("\n")
          assert.deepStrictEqual(lines, ["! ▸", "2> warned2> ", "! ▸", "! ▸", '{"torn":', '{"whole":1}', "! ▸", ""])
        })
    )
    it.effect("what is not kept of a long output is left out, and of an agent the line that it tore", () =>
      Effect.gen(function* () {
        for (const [kind, first] of [
          ["agent", ""],
          ["command", "torn\n"]
        ] as const) {
          const the = yield* stage({ terminal: false })
          yield* the.holes("l1", 200_000_001)
          yield* the.prints("l1", "torn\nkept\n")
          yield* the.tells({ ...opened, kind }, firstLaunch, confirmed, completed)
          assert.include(the.said(), `as opera-1507\n${first}kept\n! ▸`)
        }
      })
    )
    it.effect("a quiet screen shows no word of the agent, and --json the events alone", () =>
      Effect.gen(function* () {
        const quiet = yield* stage({ terminal: true }, { ...telling, words: false })
        const json = yield* stage({ terminal: true }, { ...telling, how: "json" })
        for (const the of [quiet, json]) {
          the.world.agent.answers.set(confirmed.sessionId, "All tests pass.")
          yield* the.prints("l1", "secret\n")
          yield* the.tells(opened, firstLaunch, confirmed, completed)
          assert.notMatch(the.said(), /secret|All tests pass/u)
        }
        const tags = json
          .said()
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)._tag)
        assert.deepStrictEqual(
          tags,
          [opened, firstLaunch, confirmed, completed].map(({ _tag }) => _tag)
        )
      })
    )
    it.effect("a verbose screen tells each event, as the log has it", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: true }, { ...telling, how: "all" })
        yield* the.tells(opened, examples.OwnerTook, confirmed)
        assert.match(the.said(), /owns the watch \(fence/u)
        assert.lengthOf(the.said().trimEnd().split("\n"), 3)
      })
    )
    it.effect("our lines are broken for the columns of a terminal, and the date is told where it changes", () =>
      Effect.gen(function* () {
        const the = yield* stage({ terminal: true, columns: 40 })
        const day = 86_400_000
        yield* the.tells(opened, confirmed, { ...examples.ConductorDied, at: at + day })
        const lines = the
          .said()
          .split("\n")
          .map((line) => line.slice(2))
        for (const line of lines) assert.isAtMost(line.length, 40)
        assert.lengthOf(
          lines.filter((line) => /^\d{4}-\d\d-\d\d$/u.test(line)),
          1
        )
      })
    )
  })
})
