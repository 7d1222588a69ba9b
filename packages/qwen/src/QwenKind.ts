import type { AgentPackage } from "@souffleur/process"
import { settingsHooks } from "@souffleur/session"
import * as Qwen from "./Qwen.ts"
import { identity, isQwen, literalQwen, marks, parseQwenCommand, qwenOfLaunch } from "./QwenCommand.ts"

/**
 * Qwen Code as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { qwen } from "@souffleur/qwen"
 *
 * // It edits files. For its shell, the settings of the project allow bypassPermissions.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: qwen })
 * ```
 */
export const qwen: AgentPackage = {
  title: "Qwen Code",
  program: "qwen",
  folder: { variables: ["QWEN_HOME"], inHome: ".qwen" },
  sessions: "projects",
  stall: Qwen.stall,
  marks,
  identity,
  refusedAsRoot: [],
  editsAnywhere: true,
  recordsDollars: false,
  commitSetting:
    "with acceptEdits, Qwen Code has no shell, and so it commits nothing: its shell needs bypassPermissions",
  commitsFrom: "bypassPermissions",
  typed: ["-p"],
  goOn: (sessionId) => `qwen --resume ${sessionId} -p "Go on."`,
  addTools: (name, command) => `qwen mcp add ${name} ${command}`,
  hooks: settingsHooks({
    agent: "qwen",
    events: [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
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
    ofUser: ["settings.json"],
    onlyIf: "Qwen Code runs them with bypassPermissions alone: its safe mode leaves them out"
  }),
  owns: ([program]) => isQwen(program),
  parseCommand: parseQwenCommand,
  takeApart: literalQwen,
  ofLaunch: qwenOfLaunch,
  layer: Qwen.layer
}
