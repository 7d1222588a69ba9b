import { callingSession } from "@souffleur/embed/internal"
import { Effect } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"

/** Says how an agent's session shows that it runs this command. `undefined`: nothing shows it. */
export const signOfAgent = Effect.gen(function* () {
  const { variables } = yield* Environment
  return (yield* callingSession(agentKind, variables))?.why
})

/**
 * Refuses a person's word within an agent's session (spec: command-line#a-persons-word). Fails with `BadUsage`.
 */
export const personOnly = Effect.fn("personOnly")(function* (what: string) {
  const why = yield* signOfAgent
  if (why !== undefined)
    return yield* new BadUsage({
      message: `only a person may use ${what}, and this is an agent's session (${why}): use a terminal of your own`
    })
})
