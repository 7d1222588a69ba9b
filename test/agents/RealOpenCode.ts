import type { RealAgent } from "./AgentLab.ts"

/** The real OpenCode, with `opencode run`. */
export const realOpenCode: RealAgent = {
  title: "OpenCode",
  words: ["opencode", "run", "--model", "test/test-model", "--auto"],
  resume: (sessionId) => ["opencode", "run", "--auto", "--session", sessionId],
  flag: "--share",
  shell: { name: "bash", argument: "command", more: { description: "one" } },
  files: (url) => ({
    ".config/opencode/opencode.json": JSON.stringify({
      autoupdate: false,
      share: "disabled",
      provider: {
        test: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: "none" },
          models: { "test-model": { limit: { context: 200_000, output: 8000 } } }
        }
      }
    })
  }),
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1"
  }),
  // It runs with this permission alone.
  config: "MAX_EXTERNAL_PERMISSION=bypassPermissions\n",
  waitsByItself: true
}
