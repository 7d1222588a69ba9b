/** The agent that an embedding app looks after by default. */
export { claudeCode as defaultAgent } from "@souffleur/agents"
