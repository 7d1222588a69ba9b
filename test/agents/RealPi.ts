import type { RealAgent } from "./AgentLab.ts"

const model = {
  id: "test-model",
  name: "test",
  reasoning: false,
  input: ["text"],
  contextWindow: 200_000,
  maxTokens: 8000
}
const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }

/** The real pi. */
export const realPi: RealAgent = {
  title: "pi",
  words: ["pi", "--provider", "test", "--model", "test-model", "--mode", "json", "-p"],
  resume: (sessionId) => ["pi", "-p", "--session", sessionId],
  flag: "--approve",
  shell: { name: "bash", argument: "command" },
  files: (url) => ({
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        test: { baseUrl: `${url}/v1`, apiKey: "none", api: "openai-completions", models: [{ ...model, cost }] }
      }
    })
  }),
  environment: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }),
  // pi has a shell with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  stillInCalls: "15 seconds"
}
