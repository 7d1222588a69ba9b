import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@souffleur/domain"
import { Console, Effect, Layer } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { follow } from "../src/watching/FollowOutput.ts"
import { screenStage } from "./ScreenStage.ts"

const output = "one\ttwo\n\u001B]0;mine\u0007\u009B2J\u202E \u{1F3AD}\r\n"

/** Returns what `attach` prints of an agent that printed this, in a watch that has ended. */
const printed = Effect.fnUntraced(function* (terminal: boolean, text: string, colour = false) {
  const the = yield* screenStage({ terminal, colour })
  const { ConductorConfirmed, ConductorRelaunched, WatchOpened, WatchReleased } = examples
  yield* the.prints(ConductorRelaunched.launchId, text)
  yield* Effect.gen(function* () {
    yield* (yield* EventLog).append("w", 0, [WatchOpened, ConductorConfirmed, ConductorRelaunched, WatchReleased])
    yield* follow("w", ({ generation }) => Console.error(`S${generation}`))
  }).pipe(Effect.provide(Layer.merge(EventLog.layerMemory, the.layer)))
  return the.said()
})

it.layer(NodeServices.layer)((it) => {
  it.effect("a terminal obeys nothing of an agent's output but its lines and tabs", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed(true, output), "! S2\none\ttwo\n\\u202e \u{1F3AD}\n")
    })
  )
  it.effect("a colour of the agent ends with its output", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed(true, "\u001B[31mred\n", true), "! S2\n\u001B[31mred\n\u001B[0m")
    })
  )
  it.effect("a pipe or a file gets an agent's output byte for byte", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed(false, output), `! S2\n${output}`)
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
