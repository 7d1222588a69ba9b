import type { AgentKind, Variables } from "@souffleur/domain"

/** The variables by which a service manager knows its own process. */
const ofManager = new Set(["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"])

/** Removes the variables of an agent's session, a launch or a service, because the new process is to outlive them. */
export const withoutMarks = ({ marks }: Pick<AgentKind, "marks">, variables: Variables) =>
  Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !marks.has(entry[0]) && !ofManager.has(entry[0]) && entry[0] !== "SOUFFLEUR_LAUNCH_ID"
    )
  )
