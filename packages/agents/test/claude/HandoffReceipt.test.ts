import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { services } from "./support/ClaudeFolder.ts"
import { portOf } from "./support/ClaudePort.ts"

const id = "0f1e2d3c-launch"
const at = "2026-03-01T08:00:00.000Z"
const line = (record: unknown) => `${JSON.stringify(record)}\n`
const user = (content: unknown, more: object = {}) =>
  line({ type: "user", timestamp: at, message: { role: "user", content }, ...more })
const prompt = user(`Go on with the work.\nHand-off ${id}\nThe end.`)
const answer = (message: object = {}, more: object = {}) =>
  line({
    type: "assistant",
    timestamp: at,
    message: {
      model: "claude-x",
      stop_reason: "tool_use",
      usage: { input_tokens: 10, cache_read_input_tokens: 5 },
      content: [],
      ...message
    },
    ...more
  })
const failed = answer({ model: "<synthetic>" }, { isApiErrorMessage: true })
const taken = { at: Date.parse(at), context: { tokens: 15, window: undefined, model: "claude-x", at: Date.parse(at) } }

describe("behaviour#hand-off", () => {
  it.layer(services)((it) => {
    const look = Effect.fnUntraced(function* (session: string) {
      return Option.getOrUndefined(yield* (yield* portOf(session)).agent.handoffTaken("s", id))
    })

    it.effect("a hand-off is taken by the first real answer after its prompt", () =>
      Effect.gen(function* () {
        for (const session of [
          prompt + answer(),
          user([{ type: "text", text: `Hand-off ${id}` }]) + answer(),
          user(
            `<command-name>/conductor</command-name>\n<command-args>--recovery-bootstrap\nHand-off ${id}</command-args>`
          ) + answer(),
          answer({ model: "claude-before" }) +
            prompt +
            failed +
            user("again") +
            answer() +
            answer({ model: "claude-after" }),
          `{"torn\n${prompt}not json\n${line({ type: "attachment", x: "x".repeat(2_000_000) })}${answer()}`
        ]) {
          assert.deepStrictEqual(yield* look(session), taken, session.slice(0, 300))
        }
      })
    )
    it.effect("a hand-off is not taken by a prompt alone, an error of the service, a subagent, or a reader of it", () =>
      Effect.gen(function* () {
        for (const session of [
          "",
          prompt,
          prompt + failed,
          prompt + answer({ model: "<synthetic>" }),
          prompt + answer({}, { isSidechain: true }),
          answer() + prompt,
          user(`Hand-off ${id}x`) + answer(),
          user(`I saw: Hand-off ${id}`) + answer(),
          user([{ type: "tool_result", content: `Hand-off ${id}` }]) + answer(),
          line({ type: "attachment", message: { content: `Hand-off ${id}` } }) + answer()
        ]) {
          assert.isUndefined(yield* look(session), session)
        }
      })
    )
  })
})
