import { Comms, parsePayload, readHandoff, Settings, type Watch } from "@souffleur/domain"
import { Effect, Option, Schema } from "effect"
import { again, step } from "./Step.ts"

/**
 * What a handoff asked for, fixed at the beginning of its cycle. The prompt itself stays where it is: no prompt is in the log.
 */
export const Request = Schema.Struct({
  /** The payload's message in comms; `null`: there was none. */
  messageId: Schema.NullOr(Schema.Int),
  /** A permission mode, or `invalid`. */
  requested: Schema.Literals(["acceptEdits", "bypassPermissions", "invalid"]),
  warnings: Schema.Array(Schema.String)
})
export type Request = typeof Request.Type

/** What every launch asks for when nobody says otherwise: as the first one did, else `acceptEdits` (spec §2, Payload). */
const plainOf = ({ firstLaunch }: Watch): Request => ({
  messageId: null,
  requested: firstLaunch?.requested === "bypassPermissions" ? "bypassPermissions" : "acceptEdits",
  warnings: []
})

interface Words {
  /** The message in comms; `null`: a file. */
  readonly id: number | null
  readonly text: string
}

/** What was said with a handoff: in the file that the agent's own request names, else in comms. */
const wordsOf = Effect.fnUntraced(function* (watch: Watch) {
  const [comms, { stateDir }] = [yield* Comms, yield* Settings]
  if (watch.handoff !== undefined) return Option.map(yield* readHandoff(stateDir, watch.handoff), (text): Words => ({ id: null, text }))
  const payload = Option.flatMap(yield* Effect.option(comms.snapshot), ({ payload }) => payload)
  return Option.filter<Words>(payload, ({ id }) => id !== null && id > watch.baseline.lastMessageId)
})

const lost = (watch: Watch): Request => ({ ...plainOf(watch), warnings: ["what the agent said with its request cannot be read any more"] })

/** The newest payload that no launch has consumed, or the agent's own request, for a planned handoff; else the defaults. */
export const readRequest = Effect.fn("Recovery.request")(function* (watch: Watch) {
  if (watch.recovery?.trigger !== "handoff") return plainOf(watch)
  return yield* step("0 payload", {
    outcome: Request,
    failure: Schema.Never,
    act: Effect.fnUntraced(function* () {
      const words = yield* wordsOf(watch)
      if (Option.isNone(words)) return watch.handoff === undefined ? plainOf(watch) : lost(watch)
      const { permissionMode = plainOf(watch).requested, warnings } = parsePayload(words.value.text)
      const requested = permissionMode === "acceptEdits" || permissionMode === "bypassPermissions" ? permissionMode : "invalid"
      return { messageId: words.value.id, requested, warnings } satisfies Request
    }),
    reconcile: again
  })
})

/** The resume prompt of that very request; `undefined` when it said none, or nobody can tell any more. */
export const resumePromptOf = Effect.fn("Recovery.resumePrompt")(function* (watch: Watch, request: Request) {
  const words = yield* wordsOf(watch)
  return Option.isSome(words) && words.value.id === request.messageId ? parsePayload(words.value.text).resumePrompt : undefined
})
