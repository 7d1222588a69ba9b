import type { RealAgent } from "./AgentLab.ts"

const key = "sk-ant-test-000"

/** The real Claude Code, in print mode. `test/claude` has its nights. */
export const realClaude: RealAgent = {
  title: "Claude Code",
  words: ["claude", "-p", "--allowedTools=Bash"],
  resume: (sessionId) => ["claude", "-p", "--resume", sessionId],
  flag: "--dangerously-skip-permissions",
  shell: { name: "Bash", argument: "command", more: { description: "one" } },
  files: () => ({
    ".claude.json": JSON.stringify({
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [key], rejected: [] }
    })
  }),
  environment: (url) => ({
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1"
  }),
  config: ""
}
