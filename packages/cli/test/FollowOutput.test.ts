import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { FakeAgent } from "@souffleur/testing"
import { LogUnusable } from "@souffleur/eventlog"
import { Console, Effect, Exit, Layer, Option, Stream } from "effect"
import { setImmediate } from "node:timers/promises"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { follow } from "../src/watching/FollowOutput.ts"
import { screenStage } from "./ScreenStage.ts"

const output = "one\ttwo\n\u001B]0;mine\u0007\u009B2J\u202E \u{1F3AD}\r\n"

/** Returns what `attach` prints of an agent that printed this, in a watch that has ended. */
const printed = Effect.fnUntraced(function* (
  terminal: boolean,
  text: string,
  {
    colour = false,
    errors = "",
    kind = "agent",
    sessionOfOther = false
  }: {
    readonly colour?: boolean
    readonly errors?: string
    readonly kind?: "agent" | "command"
    readonly sessionOfOther?: boolean
  } = {}
) {
  const the = yield* screenStage({ terminal, colour })
  // An agent whose launches ask for the records "words", and whose user asked for the records "asked".
  the.world.agent.outputReader = (into) => (line) =>
    line === '{"words":1}' || (into !== "pipe" && line === '{"asked":1}') ? Option.some("It works.") : Option.none()
  const other = new FakeAgent(the.world.processes)
  other.outputReader = () => (line) => Option.liftPredicate("Other words.", () => line === '{"asked":1}')
  the.world.agent.others.set("other", other)
  const { ConductorConfirmed, ConductorRelaunched, WatchReleased } = examples
  the.world.agent.files = new Set(sessionOfOther ? [] : [ConductorRelaunched.sessionId])
  const WatchOpened = { ...examples.WatchOpened, kind }
  yield* the.prints(ConductorRelaunched.launchId, text)
  yield* the.prints(ConductorRelaunched.launchId, errors, "stderr")
  yield* Effect.gen(function* () {
    yield* (yield* EventLog).append("w", 0, [WatchOpened, ConductorConfirmed, ConductorRelaunched, WatchReleased])
    yield* follow("w", ({ generation }) => Console.error(`S${generation}`))
  }).pipe(Effect.provide(Layer.merge(EventLog.layerMemory, the.layer)))
  return the.said()
})
it.layer(NodeServices.layer)((it) => {
  describe("behaviour#plain-words", () => {
    it.effect("a terminal obeys nothing of an agent's output but its lines and tabs", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* printed(true, output), "! S2\none\ttwo\n\\u202e \u{1F3AD}\n")
      })
    )
  })

  describe("command-line#screen", () => {
    it.effect("a colour of the agent ends with its output", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* printed(true, "\u001B[31mred\n", { colour: true }), "! S2\n\u001B[31mred\n\u001B[0m")
      })
    )
    it.effect("a pipe or a file gets an agent's output byte for byte", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* printed(false, output), `! S2\n${output}`)
      })
    )
    it.effect(
      "a pipe gets the words of records that the user did not ask for, and a command's records as they are",
      () =>
        Effect.gen(function* () {
          const records = '{"words":1}\n{"asked":1}\ntext\n{"words":'
          assert.strictEqual(yield* printed(false, records), '! S2\nIt works.\n{"asked":1}\ntext\n{"words":')
          assert.strictEqual(yield* printed(true, records), '! S2\nIt works.\nIt works.\ntext\n{"words":')
          assert.strictEqual(yield* printed(false, records, { kind: "command" }), `! S2\n${records}`)
          assert.strictEqual(
            yield* printed(false, records, { sessionOfOther: true }),
            '! S2\n{"words":1}\nOther words.\ntext\n{"words":'
          )
        })
    )
    it.effect("each stream goes to its own, a record on standard error is text, and a terminal obeys neither", () =>
      Effect.gen(function* () {
        const errors = '{"words":1}\n\u001B]0;mine\u0007torn'
        assert.strictEqual(yield* printed(false, "one\n", { errors }), `! S2\none\n2> ${errors}`)
        assert.strictEqual(yield* printed(true, "one\n", { errors }), '! S2\none\n2> {"words":1}\ntorn')
      })
    )
    it.effect("a log that cannot be followed any more ends the output with its reason", () =>
      Effect.gen(function* () {
        const the = yield* screenStage({ terminal: true })
        const { ConductorConfirmed, WatchOpened } = examples
        const trouble = new LogUnusable({ reason: "locked", problem: "it stays locked" })
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("w", 0, [WatchOpened, ConductorConfirmed])
          const broken = EventLog.of({ ...log, changes: () => Stream.fail(trouble) })
          const output = Effect.provideService(
            follow("w", () => Effect.void),
            EventLog,
            broken
          )
          const fiber = yield* Effect.forkChild(Effect.flip(output))
          // Its output is read from real files.
          const turn = Effect.promise(() => setImmediate())
          yield* Effect.repeat(turn, { until: () => fiber.pollUnsafe() !== undefined, times: 100_000 })
          assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed(trouble))
        }).pipe(Effect.provide(Layer.merge(EventLog.layerMemory, the.layer)))
      })
    )
    it.effect("a pipe gets no torn record of a long earlier output, and of a command each byte of its end", () =>
      Effect.gen(function* () {
        const text = `${"x".repeat(16_000)}{"words":1}\n`.repeat(2)
        assert.strictEqual(yield* printed(false, text), `! S2\n${text.slice(text.length / 2)}`)
        assert.strictEqual(yield* printed(false, text, { kind: "command" }), `! S2\n${text.slice(-16_384)}`)
      })
    )
    it.effect("the end of a long earlier output is shown, from a whole line on", () =>
      Effect.gen(function* () {
        const lines = Array.from({ length: 5000 }, (_, n) => `line ${n}\n`)
        const [heading, first, ...rest] = (yield* printed(true, lines.join(""))).split("\n")
        assert.strictEqual(heading, "! S2")
        assert.match(first!, /^line \d{4}$/u)
        assert.strictEqual(rest.at(-2), "line 4999")
        assert.isBelow(rest.length, 2000)
      })
    )
  })
})
