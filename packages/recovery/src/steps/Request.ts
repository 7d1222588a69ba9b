import {
  Comms,
  type CommsRefusal,
  leastPermission,
  parsePayload,
  permissionOf,
  Settings,
  stepNames,
  type Watch,
  Permission
} from "@souffleur/domain"
import { readHandoffFile } from "@souffleur/process"
import { Effect, Option, Schema } from "effect"
import { again, Cycle, step } from "./Step.ts"

/**
 * The request of a hand-off, fixed at the beginning of its cycle. The prompt itself stays where it is: no prompt is in
 * the log.
 */
export const Request = Schema.Struct({
  /** The id of the payload's message in comms; `null`: there was none. */
  messageId: Schema.NullOr(Schema.Int),
  /** SHA-256 of the words, hex: other words in their place do not count. `null`: there were no words. */
  digest: Schema.NullOr(Schema.String),
  /** A permission mode, or `invalid`. */
  requested: Schema.Literals([...Permission.literals, "invalid"]),
  /** True if the agent asked for this permission, which then outranks the mode of its session. */
  asked: Schema.Boolean,
  warnings: Schema.Array(Schema.String)
})
export type Request = typeof Request.Type

/**
 * Returns the default request of a launch: the permission of the first launch, else the least
 * (spec: behaviour#payload).
 */
const plainOf = ({ firstLaunch }: Watch): Request => ({
  messageId: null,
  digest: null,
  requested: permissionOf(firstLaunch?.requested ?? "") ?? leastPermission,
  asked: false,
  warnings: []
})

interface Words {
  /** The message in comms; `null`: a file. */
  readonly id: number | null
  readonly text: string
  readonly digest: string
}

const notTaken = Effect.fnUntraced(function* ({ from, id }: CommsRefusal) {
  const message = `message ${id} in comms${from === null ? "" : ` of ${JSON.stringify(from)}`} is not taken as a payload: a payload comes from task-00 or its session, to souffleur or task-00, in a message of a type for it, such as handoff`
  yield* (yield* Cycle).watch.dispatch({ _tag: "ReportRefused", what: "payload", from, message })
})

/**
 * Reads the words of a hand-off: from the file that the agent's own request names, else from comms. `None`: there are
 * none.
 */
const wordsOf = Effect.fnUntraced(function* (watch: Watch) {
  const comms = yield* Comms
  const { stateDir } = yield* Settings
  if (watch.handoff !== undefined) {
    const { digest } = watch.handoff
    return Option.map(yield* readHandoffFile(stateDir, watch.handoff), (text): Words => ({ id: null, text, digest }))
  }
  const { baseline, sessions } = watch
  const said = yield* Effect.option(comms.payload({ after: baseline.lastMessageId, sessions }))
  const refused = Option.flatMap(said, (payload) => payload.refused)
  if (Option.isSome(refused)) yield* notTaken(refused.value)
  return Option.flatMap(said, ({ heard }): Option.Option<Words> => heard)
})

const lost = (watch: Watch): Request => ({
  ...plainOf(watch),
  warnings: ["the words of the agent's request can no longer be read"]
})

/**
 * Reads the request of a planned hand-off: the newest payload that no launch has consumed, or the agent's own request.
 * Otherwise returns the defaults.
 */
export const readRequest = Effect.fn("readRequest")(function* (watch: Watch) {
  if (watch.recovery?.trigger !== "handoff") return plainOf(watch)
  return yield* step(stepNames.request, {
    outcome: Request,
    failure: Schema.Never,
    act: Effect.fnUntraced(function* () {
      const words = yield* wordsOf(watch)
      if (Option.isNone(words)) return watch.handoff === undefined ? plainOf(watch) : lost(watch)
      const { permissionMode, warnings } = parsePayload(words.value.text)
      const asked = permissionMode === undefined ? undefined : permissionOf(permissionMode)
      const requested = permissionMode === undefined ? plainOf(watch).requested : (asked ?? "invalid")
      const { digest, id: messageId } = words.value
      return { messageId, digest, requested, asked: asked !== undefined, warnings } satisfies Request
    }),
    reconcile: again
  })
})

/**
 * Reads the resume prompt of that very request. `undefined`: the request had none, or its words are gone or changed.
 */
export const resumePromptOf = Effect.fn("resumePromptOf")(function* (watch: Watch, request: Request) {
  if (request.digest === null) return undefined
  const words = yield* wordsOf(watch)
  if (Option.isNone(words) || words.value.id !== request.messageId) return undefined
  if (words.value.digest === request.digest) return parsePayload(words.value.text).resumePrompt
  const message = `message ${request.messageId} in comms was changed after it was read: its words are not taken`
  yield* (yield* Cycle).watch.dispatch({ _tag: "ReportRefused", what: "payload", from: null, message })
  return undefined
})
