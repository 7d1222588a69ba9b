import { Agent, Processes, watchKey } from "@souffleur/domain"
import { Effect } from "effect"
import { agentKind } from "../agent/Kind.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { newestWatches } from "@souffleur/embed/internal"

/** Each process of our launches has this variable. */
const ourMark = "SOUFFLEUR_LAUNCH_ID"

/** Conductors that had one pid. The live one is the newest of them. */
const maxConductors = 10

/**
 * Says how the environment or an ancestor shows that an agent's session runs this command. `undefined`: neither does.
 * An agent that hides both can still lie, within its own permission.
 */
export const signOfAgent = Effect.gen(function* () {
  const { variables } = yield* Environment
  const processes = yield* Processes
  const agent = yield* Agent
  const mark = agentKind.identity(variables).mark ?? ((variables[ourMark] ?? "") === "" ? undefined : ourMark)
  const ancestors = yield* processes.ancestors
  // The Conductor of a watch that has ended may live on.
  const known = yield* Effect.forEach(ancestors, (pid) => newestWatches(watchKey.pid(pid), maxConductors))
  const conductors = known.flat().flatMap(({ watch }) => (watch.conductor === undefined ? [] : [watch.conductor]))
  const here = yield* Effect.filter(conductors, (one) =>
    Effect.map(processes.condition(one), (condition) => condition !== "gone")
  )
  const holder = here[0]?.pid ?? (yield* agent.sessions).find(({ pid }) => ancestors.includes(pid))?.pid
  return mark === undefined
    ? holder === undefined
      ? undefined
      : `agent pid ${holder} has started it`
    : `${mark} is set`
}).pipe(Effect.withSpan("signOfAgent"))

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
