/** Claude Code in npm, with the version with which docs and tests were made. Another version behaves otherwise. */
export const claudeCode = { bin: "claude", name: "@anthropic-ai/claude-code", version: "2.1.329" } as const

/** The agents beside Claude Code with which docs and tests were made. Other versions behave otherwise. */
export const realAgents = [
  { bin: "codex", name: "@openai/codex", version: "0.169.0" },
  { bin: "pi", name: "@earendil-works/pi-coding-agent", version: "1.6.0" },
  { bin: "qwen", name: "@qwen-code/qwen-code", version: "0.24.4" },
  { bin: "copilot", name: "@github/copilot", version: "1.0.102" },
  { bin: "gemini", name: "@google/gemini-cli", version: "0.61.0" },
  { bin: "opencode", name: "opencode-ai", version: "1.18.33" }
] as const
