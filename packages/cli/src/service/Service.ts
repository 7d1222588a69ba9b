import { isSecretVariable } from "@souffleur/domain"
import { agentKind } from "../agent/Kind.ts"
import type { Surroundings } from "../world/CommandEnvironment.ts"

/** The id of the service that serves every watch. A watch's own id ends in four hex digits. */
export const everyWatch = "all"

/** One watch, or every watch, as a service of the system's service manager. */
export interface Service {
  /** The id of the watch, or {@link everyWatch}. */
  readonly id: string
  readonly line: readonly [string, ...ReadonlyArray<string>]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Holds if a service keeps a variable of the environment it is installed from. It keeps the path to the agent and
 * souffleur's own settings. A manager's own environment is nearly empty. No key is kept, because a unit file is
 * readable.
 */
const isKept = (name: string) =>
  !isSecretVariable(name) &&
  (agentKind.folder.variables.includes(name) || /^(?:PATH|XDG_STATE_HOME|SOUFFLEUR_(?!LAUNCH_ID$)[A-Z_]+)$/u.test(name))

/** Makes the service that resumes one watch, or with `everyWatch` all of them after a boot. */
export const serviceOf = (id: string, { self, variables }: Surroundings): Service => ({
  id,
  line: [...self, ...(id === everyWatch ? ["resume", "--all", "--keep"] : ["watch", "--resume", id, "--quiet"])],
  environment: Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => isKept(entry[0]) && (entry[1] ?? "") !== "")
  )
})
