import { isSecretVariable } from "@souffleur/domain"
import { agentKind } from "../agent/Kind.ts"
import type { Surroundings } from "../world/CommandEnvironment.ts"

/** The id of the service that serves every watch. A watch's own id ends in four hex digits. */
export const everyWatch = "all"

/** The id of the service that ships the log of this host to the hub of its fleet. */
export const shipper = "fleet"

/** One watch, every watch or the shipper, as a service of the system's service manager. */
export interface Service {
  /** The id of the watch, {@link everyWatch} or {@link shipper}. */
  readonly id: string
  readonly line: readonly [string, ...ReadonlyArray<string>]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * A service keeps the path to the agent and souffleur's own settings, because a manager's own environment is nearly
 * empty. It keeps no key, since a unit file is readable. A certificate authority of the user's own is a file, and no
 * key.
 */
const isKept = (name: string) =>
  !isSecretVariable(name) &&
  (agentKind.folder.variables.includes(name) ||
    /^(?:PATH|XDG_STATE_HOME|NODE_EXTRA_CA_CERTS|SOUFFLEUR_(?!LAUNCH_ID$)[A-Z_]+)$/u.test(name))

const wordsOf = (id: string): ReadonlyArray<string> => {
  if (id === shipper) return ["fleet", "ship"]
  return id === everyWatch ? ["resume", "--all", "--keep"] : ["watch", "--resume", id, "--quiet"]
}

/** Makes the service that resumes one watch, or with `everyWatch` all of them after a boot, or ships the log. */
export const serviceOf = (id: string, { self, variables }: Surroundings): Service => ({
  id,
  line: [...self, ...wordsOf(id)],
  environment: Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => isKept(entry[0]) && (entry[1] ?? "") !== "")
  )
})
