import {
  Agent,
  type AgentProgram,
  clamp,
  leastPermission,
  type Permission,
  type ResolvedSettings
} from "@souffleur/domain"
import { ExternalExport } from "@souffleur/recovery"
import { Effect, Layer } from "effect"
import { Installation } from "./Installation.ts"
import { layerComms } from "./StoreLayers.ts"

/** The agent of the settings, or of a watch's own command. */
export const layerAgent = (settings: ResolvedSettings, own?: AgentProgram) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { agent, variables } = yield* Installation
      const agentCommand = own ?? (yield* Effect.fromResult(agent.parseCommand(settings.agentCommand)))
      const builtIn = agent.layer({
        agentDir: settings.agentDir,
        agentCommand,
        environment: variables,
        environmentAllowed: settings.agentEnvironment
      })
      return settings.exportCommand === null
        ? builtIn
        : Layer.provide(ExternalExport.layer(settings.exportCommand), builtIn)
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

/** Fails where the agent could not be launched. It launches nothing. */
export const launchable = Effect.fn("App.launchable")(function* (
  { maxExternalPermission }: ResolvedSettings,
  requested: Permission = leastPermission
) {
  const effective = clamp(requested, maxExternalPermission)
  const agent = yield* Agent
  yield* agent.command({
    session: { _tag: "Resume", sessionId: "none" },
    permission: effective,
    prompt: "",
    print: true
  })
})
