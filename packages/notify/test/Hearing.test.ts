import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { deliver } from "../src/Delivery.ts"
import type { HeardPresses, Listening } from "../src/Hearing.ts"
import { ntfyStandIn, ntfyToken } from "./NtfyStandIn.ts"
import { listening } from "./StubServer.ts"

const heard = (order: Listening) =>
  Effect.map(deliver(JSON.stringify(order)), (line): HeardPresses & { readonly length: number } => ({
    ...JSON.parse(line),
    length: line.length
  }))
const headers = { authorization: `Bearer ${ntfyToken}` }

/** Listens to a server that says whatever it likes. */
const hearing = Effect.fnUntraced(function* (speak: (response: ServerResponse) => void) {
  const url = yield* listening((_, response) => speak(response.writeHead(200)))
  return yield* heard({ topic: `${url}/t`, headers: {}, since: null })
}, Effect.scoped)

const line = (id: string, message: string) =>
  `${JSON.stringify({ id, time: 1, event: "message", topic: "t", message })}\n`

describe("behaviour#answers-from-a-phone", () => {
  it.live("messages are heard as they come, and later ones after the last that was heard", () =>
    Effect.gen(function* () {
      const { asked, deliver: say, url } = yield* ntfyStandIn()
      const topic = `${url}/souffleur-x`
      const fiber = yield* Effect.forkChild(heard({ topic, headers, since: null }), { startImmediately: true })
      yield* Effect.sleep("200 millis")
      say("souffleur-y", "of another watch")
      const one = say("souffleur-x", "one")
      const { messages, problem } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([messages, problem], [[{ id: one.id, text: "one" }], null])
      const two = say("souffleur-x", "two")
      assert.deepStrictEqual((yield* heard({ topic, headers, since: one.id })).messages, [{ id: two.id, text: "two" }])
      assert.deepStrictEqual(asked, ["/souffleur-x/json?since=all", `/souffleur-x/json?since=${one.id}`])
    }).pipe(Effect.scoped)
  )
  it.live("a server that refuses, or is not there, is a problem without its words", () =>
    Effect.gen(function* () {
      const { url } = yield* ntfyStandIn()
      assert.deepInclude(yield* heard({ topic: `${url}/souffleur-x`, headers: {}, since: null }), {
        messages: [],
        problem: "the server answered 403"
      })
      assert.include((yield* heard({ topic: "http://127.0.0.1:1/t", headers, since: null })).problem, "not be reached")
      assert.include((yield* heard({ topic: "http://push.example/t", headers, since: null })).problem, "no https URL")
    }).pipe(Effect.scoped)
  )
  it.live("huge lines, garbage, floods and slow streams are bounded, and move the place on", () =>
    Effect.gen(function* () {
      const garbage = yield* hearing((response) =>
        response.end(
          `\u0000\n{"id":"a"}\n[]\nnull\n${line("../../x", "an id that is none")}${line("ok1", "\u001b[2J")}`
        )
      )
      assert.deepStrictEqual(garbage.messages, [{ id: "ok1", text: "" }])
      const huge = yield* hearing((response) =>
        response.end(line("big", "x".repeat(100_000)) + line("long", "y".repeat(500)))
      )
      assert.deepStrictEqual(huge.messages, [
        { id: "big", text: null },
        { id: "long", text: null }
      ])
      const endless = yield* hearing((response) => void response.end("z".repeat(5_000_000)))
      assert.deepStrictEqual([endless.messages, endless.length < 200], [[], true])
      const flood = yield* hearing((response) => {
        for (let n = 0; n < 1000; n++) response.write(line(`m${n}`, '"'.repeat(120)))
      })
      assert.lengthOf(flood.messages, 10)
      assert.isBelow(flood.length, 4096, "the answer of the process")
      // A press, and then a letter now and then.
      const slow = yield* hearing((response) => {
        response.write(line("m", "go"))
        const drip = Effect.repeat(
          Effect.sync(() => void response.write("x")),
          Schedule.spaced("20 millis")
        )
        response.on("close", Effect.runCallback(drip))
      })
      assert.deepStrictEqual(slow.messages, [{ id: "m", text: "go" }])
    })
  )
})
