import { assert, describe, it } from "@effect/vitest"
import { parsePayload, payloadHeader } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { fixture, services, withComms } from "./support/CommsFixture.ts"

describe("behaviour#payload", () => {
  it.layer(services)((it) => {
    /** Messages as the Conductor writes them, in their order, and the payload that a snapshot finds among them. */
    const payloadOf = Effect.fnUntraced(function* (messages: ReadonlyArray<string | Uint8Array | number | null>) {
      const { db, path } = yield* fixture("WAL")
      const insert = db.prepare(
        "INSERT INTO orchestration_messages (task_id, message, message_type) VALUES ('task-00', ?, 'handoff')"
      )
      for (const message of messages) insert.run(message)
      const { heard } = yield* withComms(path, (comms) => comms.payload({ after: 0, sessions: [] }))
      return Option.map(heard, ({ id, text }) => ({ id, text }))
    })
    const text = `${payloadHeader}\npermission_mode: acceptEdits\nresume_prompt: go on\r\n\r\n  "here"; DROP TABLE x -- 🎉\n`

    it.effect("the newest message that begins as a payload is one, as it was written", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* payloadOf([text]), Option.some({ id: 1, text }))
        assert.deepStrictEqual(
          yield* payloadOf([text, "other", `${payloadHeader}\n`, "other"]),
          Option.some({ id: 3, text: `${payloadHeader}\n` })
        )
      })
    )
    it.effect("a message that only mentions a payload, or is not text, is no payload", () =>
      Effect.gen(function* () {
        const spoken = [
          `see ${payloadHeader}`,
          ` ${text}`,
          `\n${text}`,
          payloadHeader.toLowerCase(),
          payloadHeader.slice(1)
        ]
        assert.deepStrictEqual(yield* payloadOf([]), Option.none())
        assert.deepStrictEqual(
          yield* payloadOf([...spoken, new TextEncoder().encode(text), null, 7, ""]),
          Option.none()
        )
      })
    )
    it.effect("a huge payload is cut to fit into one argument of a launch", () =>
      Effect.gen(function* () {
        const payload = Option.getOrThrow(
          yield* payloadOf([`${payloadHeader}\nresume_prompt: ${"🎉".repeat(500_000)}`])
        )
        assert.match(payload.text, /^CONTEXT_RECOVERY_PAYLOAD_V1\nresume_prompt: 🎉+$/u)
        // 128 KiB, of which some is the prompt's own frame.
        assert.isBelow(new TextEncoder().encode(payload.text).length, 122_880)
        assert.isAbove(payload.text.length, 50_000)
      })
    )
    it.effect("a resume prompt has no zero byte, with which a program could not be launched", () =>
      Effect.gen(function* () {
        const payload = Option.getOrThrow(yield* payloadOf([`${payloadHeader}\nresume_prompt: go on\0rm`]))
        assert.strictEqual(parsePayload(payload.text).resumePrompt, "go on")
      })
    )
  })
})
