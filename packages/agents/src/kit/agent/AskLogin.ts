import { Agent, clamp, kindOf, leastPermission, LoginStatus } from "@souffleur/domain"
import { type AgentPackage, chosenAgent, programOfSession, runCheck } from "@souffleur/process"
import { Effect, Layer, Option } from "effect"

/**
 * Asks a session's agent by its own words whether an account is logged in, with the environment of a launch. It is
 * asked outside of any project, whose settings may name programs.
 */
const askLogin = Effect.fn("askLogin")(function* (of: AgentPackage, sessionId: string) {
  const agent = yield* Agent
  const program = yield* programOfSession(agent, sessionId)
  const { login, owns } = kindOf(of, program)
  if (login === undefined) return Option.none<boolean>()
  const line = yield* chosenAgent(agent, program).command({
    session: { _tag: "Resume", sessionId: "none" },
    permission: clamp(leastPermission, leastPermission),
    prompt: "",
    print: true
  })
  // The words of a launcher cannot be told from the flags behind them.
  if (!owns([line.program])) return Option.none<boolean>()
  const { said } = yield* runCheck({
    words: [line.program, ...login.asks],
    cwd: "/",
    environment: line.environment,
    within: "30 seconds"
  })
  return Option.fromUndefinedOr(login.reads(said))
})

/** Provides what the agents of a package say of their login. */
export const layerLoginStatus = (of: AgentPackage) =>
  Layer.effect(
    LoginStatus,
    Effect.map(
      Effect.context<Effect.Services<ReturnType<typeof askLogin>>>(),
      (services) => (sessionId: string) =>
        askLogin(of, sessionId).pipe(
          Effect.orElseSucceed(() => Option.none<boolean>()),
          Effect.provide(services)
        )
    )
  )
