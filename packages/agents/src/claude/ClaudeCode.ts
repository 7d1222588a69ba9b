import { Duration } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { commandBefore } from "../kit/command/OwnLaunch.ts"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import { claudeDialect } from "./ClaudeDialect.ts"
import { claudeIdentity, claudeMarks } from "./command/ClaudeEnvironment.ts"
import { claudeFlags, fresh, resumed } from "./command/ClaudeFlags.ts"
import { isClaude, literalClaude, otherThanClaude } from "./command/ClaudeLiteral.ts"
import { claudePlugin } from "./plugin/ClaudePlugin.ts"
import { claudeWords } from "./session/ApiFailure.ts"
import { claudeCommits } from "./settings/ClaudeCommits.ts"

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
export const claudeCode = saidPackage({
  title: "Claude Code",
  program: "claude",
  npm: "@anthropic-ai/claude-code",
  folder: { variables: ["SOUFFLEUR_CLAUDE_DIR", "CLAUDE_CONFIG_DIR"], inHome: ".claude" },
  sessions: "projects",
  // Measured (spec: claude-code#trouble). Version 2.1.329 used 10 ms of the processor each 20 s in print mode,
  // and each second in a terminal. This held for calls without an answer (361 s) and an answer that broke off
  // (300 s). It also held for a tool that slept (420 s).
  stall: Duration.seconds(361),
  ends: { words: claudeWords },
  marks: claudeMarks,
  identity: claudeIdentity,
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
  is: isClaude,
  others: otherThanClaude,
  flags: claudeFlags,
  takeApart: literalClaude,
  ofLaunch: commandBefore(fresh, resumed),
  dialect: claudeDialect
})
