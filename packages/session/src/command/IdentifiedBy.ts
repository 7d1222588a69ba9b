import type { AgentKind } from "@souffleur/domain"

/**
 * Makes the reader of the session that runs a process. `id` names the variable with its id, and `mark` another one that
 * a session leaves.
 */
export const identifiedBy =
  (id: string, mark: string): AgentKind["identity"] =>
  (variables) => ({
    sessionId: variables[id] ?? "",
    pid: undefined,
    project: "",
    mark: [id, mark].find((name) => (variables[name] ?? "") !== "")
  })
