import { formatPayload, freshHex, handoffForbidden, quietUntilNow } from "@souffleur/domain"
import { forgetHandoffFile, writeHandoffFile } from "@souffleur/process"
import { command, soloComms } from "@souffleur/supervisor"
import { Clock, Effect } from "effect"
import type { NamedWatch } from "@souffleur/embed"
import { layerAgent, settingsOf } from "@souffleur/embed/internal"
import { recoveryAnswer, answerWithComms } from "./Answer.ts"
import { asConductor, call, onComms, startWith } from "./Call.ts"
import type { CallContext } from "./CallContext.ts"
import { ToolFailed, type Word } from "./Tools.ts"

/** Draws a new id that is safe as a file's name. */
const freshRequest = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  return `${id}-g${watch.generation}-${yield* freshHex(8)}`
})

/** Measures the Conductor's progress as its watcher would. `null`: it is unknown. */
const progressOf = Effect.fn("progressOf")(
  function* ({ watch }: NamedWatch) {
    const settings = yield* settingsOf(watch.project)
    const { taskCount, taskFingerprint } = yield* Effect.provide(
      Effect.flatMap(soloComms(watch), ({ snapshot }) => snapshot),
      layerAgent(settings)
    )
    return { count: taskCount, fingerprint: taskFingerprint }
  },
  Effect.orElseSucceed(() => null)
)

/**
 * Asks for a recovery in a watch without comms. The words go to a file first, so that a crash cannot lose them after
 * the request.
 */
const askSolo = Effect.fnUntraced(function* (named: NamedWatch, text: string) {
  const { quietHours, stateDir } = yield* settingsOf(named.watch.project)
  const request = yield* freshRequest(named)
  const digest = yield* writeHandoffFile(stateDir, request, text).pipe(
    Effect.mapError(
      ({ message }) =>
        new ToolFailed({
          message: `Your words could not be kept: ${message}. Nothing was asked for: go on, and tell a person.`
        })
    )
  )
  const tasks = yield* progressOf(named)
  const quietUntil = yield* quietUntilNow(quietHours)
  return yield* command(named.id, {
    _tag: "RequestHandoff",
    sessionId: named.watch.sessionId,
    request,
    digest,
    tasks,
    quietUntil
  }).pipe(
    // Another event came first, so no recovery will read the file.
    Effect.catchTag("Refused", (refused) => Effect.andThen(forgetHandoffFile(stateDir, request), Effect.fail(refused)))
  )
})

/**
 * Posts the words first, then the state that makes them count. A crash between the two asks for nothing (spec:
 * behaviour#payload).
 */
const askOverComms = Effect.fnUntraced(function* (here: CallContext, text: string) {
  const at = yield* Clock.currentTimeMillis
  // It posts as task-00, because its session may be newer than the watch knows.
  yield* onComms(here, (link) => link.post({ taskId: "souffleur", from: "task-00", type: "handoff", text, at }))
  yield* onComms(here, (link) => link.setState("context_recovery", at))
})

/** Asks for a recovery of the Conductor's own context. */
export const requestContextRecovery = ({
  permission_mode: permissionMode,
  resume_prompt: resumePrompt
}: Word<"request_context_recovery">) =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const text = formatPayload({ permissionMode, resumePrompt })
      if (here.watched === undefined) {
        yield* askOverComms(here, text)
        return {
          watch: null,
          note: `comms has it, but no souffleur of this state folder watches you: work on until you are stopped; ${startWith(here)}`
        }
      }
      const { id, watch } = here.watched
      const never = handoffForbidden(watch, watch.sessionId)
      if (never !== undefined) return yield* new ToolFailed({ message: `Not now: ${never}.` })
      if (watch.comms === null) return { watch: id, note: recoveryAnswer(yield* askSolo(here.watched, text)) }
      yield* askOverComms(here, text)
      const quietUntil = yield* quietUntilNow((yield* settingsOf(watch.project)).quietHours)
      return { watch: id, note: answerWithComms(watch, quietUntil) }
    })
  )
