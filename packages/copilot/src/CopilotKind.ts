import type { AgentPackage } from "@souffleur/process"
import { settingsHooks } from "@souffleur/session"
import * as Copilot from "./Copilot.ts"
import { copilotOfLaunch, identity, isCopilot, literalCopilot, marks, parseCopilotCommand } from "./CopilotCommand.ts"

/**
 * Copilot CLI as a kind of agent.
 *
 * @example
 * ```ts
 * import { copilot } from "@souffleur/copilot"
 * import { Souffleur } from "@souffleur/embed"
 *
 * // It edits files. For its shell, the settings of the project allow bypassPermissions.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: copilot })
 * ```
 */
export const copilot: AgentPackage = {
  title: "Copilot CLI",
  program: "copilot",
  folder: { variables: ["COPILOT_HOME"], inHome: ".copilot" },
  sessions: "session-state",
  stall: Copilot.stall,
  marks,
  identity,
  refusedAsRoot: [],
  recordsDollars: false,
  commitSetting:
    "with acceptEdits, Copilot CLI has no shell, and so it commits nothing: its shell needs bypassPermissions",
  commitsFrom: "bypassPermissions",
  typed: ["-p"],
  goOn: (sessionId) => `copilot --resume=${sessionId} -p "Go on."`,
  addTools: (name, command) => `copilot mcp add ${name} -- ${command}`,
  // With these names of events it takes the form that Claude Code has, and says the same.
  hooks: settingsHooks({
    agent: "copilot",
    events: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "SessionEnd"],
    timeout: 5,
    ofUser: ["hooks", "souffleur.json"]
  }),
  owns: ([program]) => isCopilot(program),
  parseCommand: parseCopilotCommand,
  takeApart: literalCopilot,
  ofLaunch: copilotOfLaunch,
  layer: Copilot.layer
}
