import type { AgentKind } from "@souffleur/domain"

/**
 * Makes the reader of the session that runs a process. `id` names the variable with its id, and `marks` name others
 * of a session.
 */
export const identifiedBy =
  (id: string, ...marks: ReadonlyArray<string>): AgentKind["identity"] =>
  (variables) => ({
    sessionId: variables[id] ?? "",
    pid: undefined,
    project: "",
    mark: [id, ...marks].find((name) => (variables[name] ?? "") !== "")
  })
