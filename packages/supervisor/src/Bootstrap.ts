import {
  Agent,
  Comms,
  type CommsRefusal,
  parseTarget,
  Processes,
  Settings,
  tellLimits,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { programOfSession } from "@souffleur/process"
import { Clock, Effect, Option, Result, Schedule } from "effect"
import { firstLaunch } from "./FirstLaunch.ts"
import { Invalid, refuseReply, Undecided, type Validated, validate } from "./Validation.ts"

/** Polls with the same failure that count as one more failed attempt (spec: behaviour#validation). */
const unchangedPolls = 10

/**
 * Validates until a validation passes or three attempts failed (spec: behaviour#validation). The first look is at once,
 * then one follows every 30 s, with the arguments that a reply has corrected. The log has each result, so that a
 * restarted souffleur continues from there.
 */
export const bootstrap = Effect.fn("bootstrap")(function* (ref: WatchRef) {
  const beats = yield* Beats
  const comms = yield* Comms
  const processes = yield* Processes
  const settings = yield* Settings
  let unchanged = 0

  const fail = Effect.fnUntraced(function* ({ check, final, message }: Invalid) {
    const snapshot = yield* Effect.result(comms.snapshot)
    // While comms is locked, the replies before this failure are unknown. The next poll asks again.
    if (Result.isFailure(snapshot) && snapshot.failure.reason === "locked") return yield* ref.state
    unchanged = 0
    const lastMessageId = Result.isSuccess(snapshot) ? snapshot.success.lastMessageId : 0
    return yield* ref.dispatch({ _tag: "FailValidation", check, message, lastMessageId, ...(final ? { final } : {}) })
  })

  const notTaken = ({ from, id }: CommsRefusal) => {
    const message = `reply ${id} in comms${from === null ? "" : ` of ${JSON.stringify(from)}`} is not taken: a reply comes from task-00, a person, or the session that it names`
    return ref.dispatch({ _tag: "ReportRefused", what: "reply", from, message })
  }

  /**
   * Reads corrected arguments from the first reply after the failure. A reply that cannot be read is a failed attempt
   * too.
   */
  const correction = Effect.fnUntraced(function* (watch: Watch) {
    const failure = watch.failures.at(-1)
    if (failure === undefined) return { watch, replied: false }
    const after = Math.max(failure.lastMessageId, watch.correctedBy)
    const said = yield* Effect.option(comms.replies({ after, sessions: watch.sessions }))
    if (Option.isNone(said)) return { watch, replied: false }
    if (Option.isSome(said.value.refused)) yield* notTaken(said.value.refused.value)
    const [reply] = said.value.heard
    if (reply === undefined) return { watch, replied: false }
    const target = parseTarget(reply.text)
    if (Result.isFailure(target))
      return yield* new Invalid({
        check: failure.check,
        message: `the reply cannot be read: ${target.failure.message}`
      })
    yield* refuseReply(watch, target.success, reply.id)
    const process = Option.getOrNull(Option.map(yield* processes.find(target.success.pid), ({ identity }) => identity))
    return {
      watch: yield* ref.dispatch({ _tag: "CorrectArguments", ...target.success, process, messageId: reply.id }),
      replied: true
    }
  })

  const confirm = Effect.fnUntraced(function* ({ kind }: Watch, found: Validated) {
    const agent = kind === "command" ? null : yield* programOfSession(yield* Agent, found.sessionId)
    return yield* ref.dispatch({ _tag: "Confirm", ...found, agent })
  })

  const attempt = Effect.fn("Bootstrap.attempt")(function* () {
    yield* Effect.flatMap(Clock.currentTimeMillis, (at) => beats.beat(ref.id, { by: "bootstrap/1", at }))
    // The time of the job may have passed while nobody looked after it.
    yield* tellLimits(ref)
    const watch = yield* ref.state
    if (watch.phase !== "Validating") return watch
    return yield* Effect.gen(function* () {
      if (watch.firstLaunch !== undefined) return yield* confirm(watch, yield* firstLaunch(ref, watch))
      const { replied, watch: corrected } = yield* correction(watch)
      const found = yield* validate(corrected, corrected).pipe(
        Effect.catchTag("Invalid", (invalid): Effect.Effect<never, Invalid | Undecided> => {
          const counts = watch.failures.length === 0 || replied || ++unchanged >= unchangedPolls
          return Effect.fail(counts ? invalid : new Undecided({ message: invalid.message }))
        })
      )
      return yield* confirm(watch, found)
    }).pipe(
      Effect.catchTag("Invalid", fail),
      Effect.catchTag("Undecided", () => ref.state)
    )
  })

  yield* attempt().pipe(
    Effect.repeat({
      schedule: Schedule.spaced(settings.validationRetryInterval),
      while: (watch) => watch.phase === "Validating"
    })
  )
})
