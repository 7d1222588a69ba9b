import { Context, Effect, Option, Ref } from "effect"
import { Agent } from "./port/Agent.ts"

/**
 * Asks the program of a session's agent whether an account is logged in. `None`: it does not tell, which is not "logged
 * out". By default nothing tells.
 */
export const LoginStatus = Context.Reference<(sessionId: string) => Effect.Effect<Option.Option<boolean>>>(
  "@souffleur/domain/LoginStatus",
  { defaultValue: () => () => Effect.succeedNone }
)

/**
 * Makes two looks at a login that the service refused: whether its file was written since a moment (epoch ms), and
 * whether the agent now says that it is logged in, after it said the contrary (spec: behaviour#a-renewed-login).
 */
export const lookAtLogin = Effect.fnUntraced(function* (sessionId: string) {
  const { loginWrittenAt } = yield* Agent
  const ask = yield* LoginStatus
  const wasOut = yield* Ref.make(false)
  return {
    writtenSince: (moment: number) =>
      loginWrittenAt === undefined ? Effect.succeed(false) : Effect.map(loginWrittenAt(sessionId), (at) => at > moment),
    // An agent that says "logged in" all along was refused all the same.
    said: Effect.gen(function* () {
      const isIn = yield* ask(sessionId)
      if (Option.contains(isIn, false)) yield* Ref.set(wasOut, true)
      return Option.contains(isIn, true) && (yield* Ref.get(wasOut))
    })
  }
})
