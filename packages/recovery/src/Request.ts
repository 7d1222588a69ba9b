import { Comms, parsePayload, type Watch } from "@souffleur/domain"
import { Effect, Option, Schema } from "effect"
import { again, step } from "./Step.ts"

/**
 * What a handoff asked for, fixed at the beginning of its cycle. The prompt itself stays in comms: no prompt is in the log.
 */
export const Request = Schema.Struct({
  /** The payload's message; `null`: there was none. */
  messageId: Schema.NullOr(Schema.Int),
  /** A permission mode, or `invalid`. */
  requested: Schema.Literals(["acceptEdits", "bypassPermissions", "invalid"]),
  warnings: Schema.Array(Schema.String)
})
export type Request = typeof Request.Type

/** What every launch asks for when nobody says otherwise (spec §2, Payload). */
const plain: Request = { messageId: null, requested: "acceptEdits", warnings: [] }

const unconsumed = Effect.fnUntraced(function* (watch: Watch) {
  const comms = yield* Comms
  const payload = Option.flatMap(yield* Effect.option(comms.snapshot), ({ payload }) => payload)
  return Option.filter(payload, ({ id }) => id > watch.baseline.lastMessageId)
})

/** The newest payload that no launch has consumed, for a planned handoff; else the defaults. */
export const readRequest = Effect.fn("Recovery.request")(function* (watch: Watch) {
  if (watch.recovery?.trigger !== "handoff") return plain
  return yield* step("0 payload", {
    outcome: Request,
    failure: Schema.Never,
    act: Effect.fnUntraced(function* () {
      const payload = yield* unconsumed(watch)
      if (Option.isNone(payload)) return plain
      const { permissionMode = "acceptEdits", warnings } = parsePayload(payload.value.text)
      const requested = permissionMode === "acceptEdits" || permissionMode === "bypassPermissions" ? permissionMode : "invalid"
      return { messageId: payload.value.id, requested, warnings } satisfies Request
    }),
    reconcile: again
  })
})

/** The resume prompt of that very payload; `undefined` when it said none, or comms cannot tell any more. */
export const resumePromptOf = Effect.fn("Recovery.resumePrompt")(function* (watch: Watch, request: Request) {
  const payload = yield* unconsumed(watch)
  return Option.isSome(payload) && payload.value.id === request.messageId ? parsePayload(payload.value.text).resumePrompt : undefined
})
