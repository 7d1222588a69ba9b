import type { RealAgent } from "./AgentLab.ts"

/** The real Copilot CLI. */
export const realCopilot: RealAgent = {
  title: "Copilot CLI",
  words: ["copilot", "--output-format", "json", "--allow-all-tools"],
  resume: (sessionId) => ["copilot", `--resume=${sessionId}`, "-p"],
  flag: "--allow-all-paths",
  shell: { name: "bash", argument: "command", more: { description: "one" } },
  files: () => ({}),
  environment: (url) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: "test-model"
  }),
  // It has a shell with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  launcher: true,
  hooks: { began: "new", tool: "PreToolUse" },
  limitWithoutEnd: true,
  stillInCalls: "15 seconds"
}
