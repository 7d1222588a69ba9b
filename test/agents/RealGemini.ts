import type { RealAgent } from "./AgentLab.ts"

/** The real Gemini CLI. */
export const realGemini: RealAgent = {
  title: "Gemini CLI",
  words: ["gemini", "--model", "gemini-2.5-pro", "--yolo"],
  resume: (sessionId) => ["gemini", "--yolo", "--resume", sessionId, "-p"],
  flag: "--admin-policy",
  shell: { name: "run_shell_command", argument: "command", more: { description: "one" } },
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" } }
    })
  }),
  environment: (url) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url }),
  // It runs with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  launcher: true,
  hooks: { began: "startup", tool: "BeforeTool" },
  endsWellAtTerm: true,
  limitWithoutEnd: true,
  stillInCalls: "15 seconds"
}
