import type { AgentPackage } from "@souffleur/process"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import * as Claude from "./Claude.ts"
import { claudePlugin } from "./plugin/ClaudePlugin.ts"
import { claudeWords } from "./session/ApiFailure.ts"
import { claudeCommits } from "./settings/ClaudeCommits.ts"
import { parseAgentCommand } from "./command/AgentProgram.ts"
import { isClaude } from "./command/CommandFront.ts"
import { identity, marks } from "./command/ClaudeEnvironment.ts"
import { agentOfLaunch, literalAgent } from "./command/LiteralCommand.ts"

/**
 * Claude Code as a kind of agent.
 *
 * @example
 * ```ts
 * import { claudeCode } from "@souffleur/agents"
 * import { Result } from "effect"
 *
 * // A setting names the agent. An argument that could lift a permission is refused before any launch.
 * const refusal = Result.match(claudeCode.parseCommand('["claude", "--dangerously-skip-permissions"]'), {
 *   onFailure: ({ message }) => message,
 *   onSuccess: () => "it is accepted"
 * })
 * ```
 */
export const claudeCode: AgentPackage = {
  title: "Claude Code",
  program: "claude",
  npm: "@anthropic-ai/claude-code",
  folder: { variables: ["SOUFFLEUR_CLAUDE_DIR", "CLAUDE_CONFIG_DIR"], inHome: ".claude" },
  sessions: "projects",
  stall: Claude.stall,
  ends: { words: claudeWords },
  marks,
  identity,
  refusedAsRoot: ["bypassPermissions"],
  recordsDollars: true,
  projectFiles: [".claude", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json"],
  commitSetting:
    'with acceptEdits, Claude Code commits where .claude/settings.local.json has {"permissions":{"allow":["Bash(git add:*)","Bash(git commit:*)"]}}, and the same for what runs the tests',
  login: {
    asks: ["auth", "status"],
    reads: (said) => {
      const [, is] = /"loggedIn": *(true|false)/u.exec(said) ?? []
      return is === undefined ? undefined : is === "true"
    },
    todo: "claude auth login"
  },
  skillPrompt: (skill) => `/${skill}`,
  typed: [],
  goOn: (sessionId) => `claude --resume ${sessionId} "Go on."`,
  addTools: (name, command) => `claude mcp add ${name} -- ${command}`,
  commits: claudeCommits,
  plugin: claudePlugin,
  hooks: settingsHooks({
    events: [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PreCompact",
      "PostCompact",
      "Stop",
      "StopFailure",
      "SessionEnd",
      "SubagentStop",
      "Notification",
      "PermissionRequest"
    ],
    timeout: 5,
    off: { keys: ["disableAllHooks"], value: true },
    ofProject: [".claude", "settings.local.json"],
    ofUser: ["settings.json"]
  }),
  owns: ([program = ""]) => isClaude(program),
  parseCommand: parseAgentCommand,
  takeApart: literalAgent,
  ofLaunch: agentOfLaunch,
  layer: Claude.layer
}
