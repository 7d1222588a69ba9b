import { Agent, LoginStatus, plain, type ResolvedSettings } from "@souffleur/domain"
import { type AgentPackage, resolveProgram } from "@souffleur/process"
import { Effect, Option, Result } from "effect"
import { Installation } from "../world/Installation.ts"
import { layerHost } from "../world/StoreLayers.ts"
import { layerAgentAndLogin } from "../world/World.ts"

/** UTF-16 units of a program's path in a line for a person. */
const maxLength = 200

/** Lists the agents that an agent package joins, the first one first. */
export const agentsOf = (agent: AgentPackage): ReadonlyArray<AgentPackage> => agent.all ?? [agent]

/** Returns the agent of a program; the first where no agent has it. */
export const agentOfProgram = (agent: AgentPackage, program: string): AgentPackage => agent.kindOf?.(program) ?? agent

/** Says whether the program of an agent is in PATH. */
export const isInstalled = Effect.fnUntraced(function* ({ program }: AgentPackage) {
  const { variables } = yield* Installation
  return yield* Effect.isSuccess(resolveProgram(program, variables["PATH"] ?? ""))
})

/** Returns the agents whose program is in PATH. */
export const installedAgents = Effect.flatMap(Installation, ({ agent }) =>
  Effect.filter(agentsOf(agent), isInstalled, { concurrency: "unbounded" })
)

/** Returns the command that runs an agent with a prompt, as a person types it. */
export const typedWith = ({ typed }: AgentPackage, program: string, prompt: string): string =>
  ["souffleur run --", plain(program, maxLength), ...typed, prompt].join(" ")

/** Returns the program of the configured agent. An unusable `AGENT_COMMAND` is told where an agent is launched. */
export const agentProgram = (agent: AgentPackage, { agentCommand }: ResolvedSettings): string =>
  Result.match(agent.parseCommand(agentCommand), {
    onSuccess: ({ program }) => program,
    onFailure: () => agent.program
  })

/**
 * Returns the program of the agent to begin with: the configured one. Where that is the default, and is not installed,
 * it is the first agent that is.
 */
export const usualProgram = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const { agent } = yield* Installation
  if (settings.agentCommand !== agent.program || (yield* isInstalled(agent))) return agentProgram(agent, settings)
  return (yield* installedAgents)[0]?.program ?? agent.program
})

/** An agent that souffleur knows, as it is on this host. */
export interface AgentHere {
  readonly kind: AgentPackage
  readonly isInstalled: boolean
  /** `None`: nothing tells. */
  readonly isLoggedIn: Option.Option<boolean>
}

/** Asks the agent, else looks for the file of its login. An agent without such a file may have a key. */
export const loginHere = Effect.gen(function* () {
  const said = yield* Effect.flatMap(LoginStatus, (ask) => ask(""))
  if (Option.isSome(said)) return said
  const { loginWrittenAt } = yield* Agent
  return loginWrittenAt !== undefined && (yield* loginWrittenAt("")) > 0 ? Option.some(true) : said
})

/**
 * Looks which agents are in PATH, and which of them somebody is logged in to. It asks the programs in PATH alone: a
 * config file may name any other. `kinds`: by default all that are known.
 */
export const agentsHere = Effect.fn("agentsHere")(function* (
  settings: ResolvedSettings,
  kinds?: ReadonlyArray<AgentPackage>
) {
  const { agent } = yield* Installation
  return yield* Effect.forEach(
    kinds ?? agentsOf(agent),
    Effect.fnUntraced(function* (kind) {
      const found = yield* isInstalled(kind)
      const isLoggedIn = found
        ? yield* loginHere.pipe(
            Effect.provide(layerAgentAndLogin({ ...settings, agentCommand: kind.program })),
            Effect.provide(layerHost),
            Effect.orElseSucceed(() => Option.none<boolean>())
          )
        : Option.none<boolean>()
      return { kind, isInstalled: found, isLoggedIn } satisfies AgentHere
    }),
    { concurrency: "unbounded" }
  )
})

/** Returns the command that installs an agent. */
export const installsAgent = ({ npm, program }: AgentPackage): string =>
  npm === undefined ? `install ${program}` : `npm install -g ${npm}`

/** Says in a few words how an agent is on this host. */
export const agentStanding = ({ isInstalled, isLoggedIn, kind }: AgentHere): string =>
  isInstalled
    ? Option.match(isLoggedIn, {
        onNone: () => "installed",
        onSome: (is) => (is ? "installed, logged in" : `installed, not logged in: ${kind.login?.todo ?? kind.program}`)
      })
    : `not installed: ${installsAgent(kind)}`
