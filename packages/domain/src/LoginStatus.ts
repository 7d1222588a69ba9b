import { Context, Effect, Option, Ref } from "effect"
import { Agent } from "./port/Agent.ts"
import { momentNow } from "./evidence/ClockGap.ts"

/**
 * Asks the program of a session's agent whether an account is logged in. `None`: it does not tell, which is not "logged
 * out". By default nothing tells.
 */
export const LoginStatus = Context.Reference<(sessionId: string) => Effect.Effect<Option.Option<boolean>>>(
  "@souffleur/domain/LoginStatus",
  { defaultValue: () => () => Effect.succeedNone }
)

/** How long an answer of the agent's program holds, ms: each question starts that program. */
const askInterval = 300_000

/**
 * Makes a look that returns whether a refused login was renewed since a moment (epoch ms): its file was written, or the
 * agent says that it is logged in, after it said the contrary (spec: behaviour#a-renewed-login).
 */
export const lookAtLogin = Effect.fnUntraced(function* (sessionId: string) {
  const { loginWrittenAt } = yield* Agent
  const ask = yield* LoginStatus
  // An agent that says "logged in" all along was refused all the same.
  const asked = yield* Ref.make({ at: -Infinity, wasOut: false })
  return Effect.fnUntraced(function* (since: number) {
    if (loginWrittenAt !== undefined && (yield* loginWrittenAt(sessionId)) > since) return true
    const { monotonic } = yield* momentNow
    const { at, wasOut } = yield* Ref.get(asked)
    if (monotonic - at < askInterval) return false
    const isIn = yield* ask(sessionId)
    yield* Ref.set(asked, { at: monotonic, wasOut: wasOut || Option.contains(isIn, false) })
    return wasOut && Option.contains(isIn, true)
  })
})
