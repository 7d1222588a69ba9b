import { LoginStatus } from "@souffleur/domain"
import { HostServices, Processes } from "@souffleur/node"
import { layerLoginStatus } from "@souffleur/agents"
import type { AgentOptions, AgentPackage } from "@souffleur/process"
import { Effect, FileSystem, Layer, type PlatformError } from "effect"

const host = Layer.provideMerge(Processes.layer, HostServices.layer)

/** Returns what the real program of an agent says of its login. It has these variables, and a folder that `fill` fills. */
export const loginSaid = (
  of: AgentPackage,
  agentCommand: AgentOptions["agentCommand"],
  variables: Readonly<Record<string, string>> = {},
  fill: (agentDir: string) => Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem> = () =>
    Effect.void
) =>
  Effect.gen(function* () {
    const agentDir = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "souffleur-login-" })
    yield* fill(agentDir)
    const environment = {
      PATH: process.env["PATH"],
      HOME: agentDir,
      [of.folder.variables.at(-1)!]: agentDir,
      ...variables
    }
    const agent = of.layer({ agentDir, agentCommand, environment })
    return yield* Effect.flatMap(LoginStatus, (ask) => ask("")).pipe(
      Effect.provide(Layer.provide(layerLoginStatus(of), agent))
    )
  }).pipe(Effect.scoped, Effect.provide(host))
