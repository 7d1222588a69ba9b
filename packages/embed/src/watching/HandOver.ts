import {
  Agent,
  clamp,
  freshUuid,
  highest,
  type Handover,
  leastPermission,
  lower,
  type Permission,
  Processes,
  type Watch
} from "@souffleur/domain"
import { isGone, lookAsWatched } from "@souffleur/process"
import { newestSession } from "@souffleur/recovery"
import { Effect, Option, Runtime, Schema } from "effect"
import { Parts } from "../world/Parts.ts"

/** An agent cannot take a conversation over. `message` says why. Nothing was stopped (exit code 2). */
export class AgentUnfit extends Schema.TaggedError<AgentUnfit>()("AgentUnfit", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Returns an agent by its program, as it launches. Fails with `AgentUnfit` where none has that name. */
export const agentNamed = (agent: Agent["Service"], program: string) =>
  Effect.mapError(
    Effect.fromOption(agent.joined?.led(program) ?? Option.liftPredicate(agent, ({ name }) => name === program)),
    () =>
      new AgentUnfit({
        message: `no agent is called ${JSON.stringify(program.slice(0, 80))}: name ${agent.joined?.programs.join(", ") ?? agent.name}`
      })
  )

const programOf = ({ joined, name }: Agent["Service"], sessionId: string) =>
  joined?.programOf(sessionId) ?? Effect.succeed(name)

/**
 * Looks whether another agent could take the conversation of a watch over, and names the two (spec:
 * behaviour#hand-over). It stops and launches nothing. Fails with `AgentUnfit` where the agent is unknown or not
 * installed, and where there is no conversation. Fails so too where the ceiling refuses its launch.
 */
export const handoverTo = Effect.fn("handoverTo")(function* (watch: Watch, program: string, ceiling?: Permission) {
  const { layerLook, settings } = yield* Parts
  const processes = yield* Processes
  const found = yield* settings(watch.project)
  const looked = Effect.gen(function* () {
    const agent = yield* Agent
    yield* lookAsWatched(watch)
    const led = yield* agentNamed(agent, program)
    const sessionId = yield* newestSession(watch)
    if (Option.isNone(yield* agent.signs(sessionId)))
      return yield* new AgentUnfit({ message: "the watch has no conversation that can be read" })
    const from = yield* programOf(agent, sessionId)
    const { conductor } = watch
    const holds = conductor !== undefined && sessionId === watch.sessionId
    const handover: Handover = { from, agent: program, lives: holds && !(yield* isGone(processes, conductor)) }
    if (from === program) return handover
    const permission = clamp(
      watch.firstLaunch?.requested ?? leastPermission,
      lower(ceiling ?? highest(watch), found.maxExternalPermission)
    )
    yield* led
      .command({
        session: { _tag: "Fresh", sessionId: yield* freshUuid },
        permission,
        prompt: "Continue.",
        print: true
      })
      .pipe(Effect.mapError(({ problem }) => new AgentUnfit({ message: `${program} cannot be launched: ${problem}` })))
    return handover
  })
  return yield* Effect.provide(looked, layerLook({ settings: found, comms: null }))
})
