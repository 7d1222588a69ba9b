// The hooks of the agent that `Kind.ts` names. It loads nothing of Effect: a tool call of the agent waits for it.
export { hookReader } from "@souffleur/agents/hook"

/** The words by which a hook has the session watched that it runs in. */
export const beginning = ["watch", "--detach", "--begun"] as const
