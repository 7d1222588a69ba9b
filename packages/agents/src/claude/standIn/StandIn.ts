import { Config, Console, Effect, Option, Result, Stdio, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { parse } from "./StandInCommandLine.ts"
import { openSession, type Session, type SessionOrder } from "./StandInSession.ts"

export { argumentsOf } from "./StandInCommandLine.ts"
export { pidFile, type Session } from "./StandInSession.ts"

/** Plays the part of the model, without a model. */
export interface Part<E, R> {
  /** Acts on a prompt, and returns the last words of the turn. */
  readonly answer: (session: Session, prompt: string) => Effect.Effect<string, E, R>
  /** Returns the summary to which a conversation is compacted. */
  readonly summary: (conversation: string) => string
}

/** The exit code with which each signal ends the real agent. */
export const exitCodes = { SIGTERM: 143, SIGINT: 0, SIGHUP: 129 } as const

/** Waits for ever. A fiber that waits for nothing does not keep a Node process alive; a timer does. */
export const idle = Effect.forever(Effect.sleep("1 hour"))

/** Reads the prompt on standard input, in print mode without a prompt among the arguments. */
const readPrompt = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin))).pipe(
  Effect.orDie
)

const compactFails = Config.Boolean("SOUFFLEUR_STANDIN_COMPACT_FAILS").pipe(Config.withDefault(false))
/** Its process does not end after its turn, in print mode either. */
const lingers = Config.Boolean("SOUFFLEUR_STANDIN_LINGERS").pipe(Config.withDefault(false))

const turn = Effect.fnUntraced(function* <E, R>(session: Session, print: boolean, prompt: string, part: Part<E, R>) {
  if (prompt.trim().startsWith("/compact")) {
    yield* session.compact(part.summary(session.context()), yield* compactFails)
  } else {
    yield* session.user(prompt)
    const last = yield* part.answer(session, prompt)
    yield* session.say(last, false)
    if (print) yield* Console.log(last)
  }
  yield* session.turnEnded(prompt)
  if (print && !(yield* lingers)) return 0
  yield* session.status("idle")
  return yield* idle
})

/**
 * Runs an agent of our own for the demo and the tests, as this process. It keeps its files, takes its arguments and
 * ends as the real agent was seen to (spec: claude-code#files). `part` plays the model. Returns its exit code.
 */
export const standIn = Effect.fn("StandIn.standIn")(function* <E, R>(
  argv: ReadonlyArray<string>,
  process: SessionOrder["process"],
  part: Part<E, R>
) {
  const order = parse(argv)
  if (Result.isFailure(order)) {
    yield* Console.error(order.failure)
    return 1
  }
  const { print, session: asked } = order.success
  const prompt = order.success.prompt ?? (yield* readPrompt)
  if (prompt.trim() === "") {
    yield* Console.error(
      "Error: Input must be provided either through stdin or as a prompt argument when using --print"
    )
    return 1
  }
  const random = yield* SecureRandom.SecureRandom
  const chosen = asked ?? { _tag: "Fresh" as const, id: yield* random.uuidV4() }
  const session = yield* openSession({ ...chosen, print, process }).pipe(
    Effect.asSome,
    Effect.catchTag("SessionRefused", ({ message }) => Effect.as(Console.error(message), Option.none()))
  )
  return Option.isNone(session) ? 1 : yield* turn(session.value, print, prompt, part)
})
