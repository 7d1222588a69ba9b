import type { AgentHooks } from "@souffleur/process"
import { Effect } from "effect"

const untouched = (path: string) =>
  Effect.succeed({ path, changed: false, backup: null, how: "nothing to do" } as const)

/** Makes the hooks of an agent for which souffleur installs none. */
export const untouchedHooks = (places: Pick<AgentHooks, "ofProject" | "ofUser">): AgentHooks => ({
  ...places,
  events: [],
  command: () => "",
  install: untouched,
  uninstall: untouched,
  status: (path) => Effect.succeed({ path, events: [], absent: [], programs: [], missing: [] })
})
