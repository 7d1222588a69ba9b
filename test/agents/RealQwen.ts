import type { RealAgent } from "./AgentLab.ts"

/** The real Qwen Code. */
export const realQwen: RealAgent = {
  title: "Qwen Code",
  words: ["qwen", "--auth-type", "openai", "--output-format", "stream-json", "--approval-mode", "yolo"],
  resume: (sessionId) => ["qwen", "--resume", sessionId, "-p"],
  flag: "--mcp-config",
  shell: { name: "run_shell_command", argument: "command" },
  files: () => ({
    // It tries a limited call ten times over an hour. Here it gives up at once.
    ".qwen/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false },
      model: { generationConfig: { maxRetries: 0 } },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "openai" } }
    })
  }),
  environment: (url) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "test-model" }),
  // It has a shell with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  launcher: true,
  hooks: { began: "startup", tool: "PreToolUse" },
  limitWithoutEnd: true,
  stillInCalls: "15 seconds"
}
