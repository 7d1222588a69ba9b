import {
  Agent,
  AgentNotFound,
  type AgentOrder,
  type AgentProgram,
  clamp,
  leastPermission,
  type Permission,
  type ResolvedSettings
} from "@souffleur/domain"
import { agentFolder } from "@souffleur/agents"
import type { AgentPackage } from "@souffleur/process"
import { ExternalExport } from "@souffleur/recovery"
import { Effect, Layer, Struct } from "effect"
import { Installation } from "./Installation.ts"
import { layerComms } from "./StoreLayers.ts"

/** Returns the folder of an agent's own files, which for the first agent is a setting. */
export const agentDirOf = Effect.fn("agentDirOf")(function* (kind: AgentPackage, { agentDir }: ResolvedSettings) {
  const { agent, variables } = yield* Installation
  return kind.program === agent.program ? agentDir : yield* agentFolder(kind, variables)
})

/** The agent of a watch's own command. */
export interface OwnAgent {
  readonly agent?: AgentProgram
  /** The variables that its caller gave it; `lost`: it had some, and nothing is launched without them. */
  readonly environment?: Readonly<Record<string, string>> | "lost"
}

/** An agent that launches nothing, since what its job gave it is lost. */
const unlaunchable = (agent: Agent["Service"]): Agent["Service"] => ({
  ...Struct.omit(agent, ["joined"]),
  command: () =>
    Effect.fail(
      new AgentNotFound({
        program: agent.name,
        problem: "the environment of this job is lost with the file of its first launch: stop it, and begin another"
      })
    )
})

/** The agent of the settings, or of a watch's own command, with the variables that a caller gave its job. */
export const layerAgent = (settings: ResolvedSettings, { agent: own, environment = {} }: OwnAgent = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { agent, variables } = yield* Installation
      const agentCommand = own ?? (yield* Effect.fromResult(agent.parseCommand(settings.agentCommand)))
      const given = environment === "lost" ? {} : environment
      const layer = agent.layer({
        agentDir: settings.agentDir,
        agentCommand,
        environment: { ...variables, ...given },
        environmentAllowed: [...settings.agentEnvironment, ...Object.keys(given)]
      })
      const builtIn =
        environment === "lost" ? Layer.provide(Layer.effect(Agent, Effect.map(Agent, unlaunchable)), layer) : layer
      return settings.exportCommand === null
        ? builtIn
        : Layer.provide(ExternalExport.layer(settings.exportCommand, variables["HOME"] ?? "/"), builtIn)
    })
  )

/** The agent's files, for reading only. It launches and exports nothing. */
export const layerAgentFiles = ({ agentDir }: ResolvedSettings) =>
  Layer.unwrap(
    Effect.map(Installation, ({ agent, variables }) =>
      agent.layer({ agentDir, agentCommand: { program: agent.program, args: [] }, environment: variables })
    )
  )

/** The agent's files and the comms of a watch, for a look that launches nothing. */
export const layerLook = (settings: ResolvedSettings, comms: string | null) =>
  Layer.merge(layerAgentFiles(settings), layerComms(comms))

/**
 * Returns the command of a launch of the agent. Fails where it could not be launched. It launches nothing.
 */
export const launchable = Effect.fn("App.launchable")(function* (
  { maxExternalPermission }: ResolvedSettings,
  requested: Permission = leastPermission,
  { choice, looks = false }: Pick<AgentOrder, "choice" | "looks"> = {}
) {
  const effective = clamp(requested, maxExternalPermission)
  const agent = yield* Agent
  return yield* agent.command({
    session: { _tag: "Resume", sessionId: "none" },
    permission: effective,
    prompt: "",
    print: true,
    ...(looks ? { looks } : {}),
    ...(choice === undefined ? {} : { choice })
  })
})
