import { agentKind } from "../agent/Kind.ts"
import type { Surroundings } from "../world/CommandEnvironment.ts"

/** One watch as the system's own service manager keeps it running. */
export interface Service {
  /** The watch. */
  readonly id: string
  readonly line: readonly [string, ...ReadonlyArray<string>]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * What a service needs of the surroundings in which it is installed: where to find the agent, and souffleur's own
 * settings. A manager's environment is nearly empty. Never a key: a unit file is no place for one.
 */
const isKept = (name: string) =>
  agentKind.folder.variables.includes(name) || /^(?:PATH|XDG_STATE_HOME|SOUFFLEUR_(?!LAUNCH_ID$)[A-Z_]+)$/u.test(name)

export const serviceOf = (id: string, { self, variables }: Surroundings): Service => ({
  id,
  line: [...self, "watch", "--resume", id] as const,
  environment: Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => isKept(entry[0]) && (entry[1] ?? "") !== "")
  )
})
