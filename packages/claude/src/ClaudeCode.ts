import type { AgentPackage } from "@souffleur/process"
import { Duration } from "effect"
import * as Claude from "./Claude.ts"
import { parseAgentCommand } from "./command/AgentProgram.ts"
import { isClaude } from "./command/CommandFront.ts"
import { identity, marks } from "./command/ClaudeEnvironment.ts"
import { agentOfLaunch, literalAgent } from "./command/LiteralCommand.ts"
import { hookCommand } from "./hooks/HookCommand.ts"
import { installHooks, hooksStatus, uninstallHooks } from "./hooks/HookFile.ts"
import { hookEvents } from "./hooks/HookSettings.ts"

/**
 * Claude Code as a kind of agent.
 *
 * @example
 * ```ts
 * import { claudeCode } from "@souffleur/claude"
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
  folder: { variables: ["SOUFFLEUR_CLAUDE_DIR", "CLAUDE_CONFIG_DIR"], inHome: ".claude" },
  sessions: "projects",
  // Measured (spec: claude-code#trouble). Version 2.1.329 used 10 ms of the processor each 20 s in print mode, and each
  // second in a terminal. This held for calls without an answer (361 s) and an answer that broke off (300 s). It also
  // held for a tool that slept (420 s).
  stall: Duration.seconds(361),
  marks,
  identity,
  refusedAsRoot: ["bypassPermissions"],
  recordsDollars: true,
  commitSetting:
    'with acceptEdits, Claude Code commits where .claude/settings.json has {"permissions":{"allow":["Bash(git add:*)","Bash(git commit:*)"]}}, and the same for what runs the tests',
  goOn: (sessionId) => `claude --resume ${sessionId} "Go on."`,
  addTools: (name, command) => `claude mcp add ${name} -- ${command}`,
  hooks: {
    events: hookEvents,
    ofProject: [".claude", "settings.local.json"],
    ofUser: ["settings.json"],
    command: hookCommand,
    install: installHooks,
    uninstall: uninstallHooks,
    status: hooksStatus
  },
  owns: ([program = ""]) => isClaude(program),
  parseCommand: parseAgentCommand,
  takeApart: literalAgent,
  ofLaunch: agentOfLaunch,
  layer: Claude.layer
}
