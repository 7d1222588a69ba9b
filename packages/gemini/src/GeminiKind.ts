import type { AgentPackage } from "@souffleur/process"
import { settingsHooks } from "@souffleur/session"
import * as Gemini from "./Gemini.ts"
import { geminiOfLaunch, identity, isGemini, literalGemini, marks, parseGeminiCommand } from "./GeminiCommand.ts"

/**
 * Gemini CLI as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { gemini } from "@souffleur/gemini"
 *
 * // It needs bypassPermissions, which the settings of the project allow.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: gemini })
 * ```
 */
export const gemini: AgentPackage = {
  title: "Gemini CLI",
  program: "gemini",
  // Its variable names a home, in which its own folder is.
  folder: { variables: ["GEMINI_CLI_HOME"], inHome: "" },
  sessions: ".gemini/tmp",
  stall: Gemini.stall,
  marks,
  identity,
  refusedAsRoot: [],
  recordsDollars: false,
  commitSetting: "Gemini CLI runs with bypassPermissions alone, and commits with its shell",
  typed: ["--yolo", "--skip-trust", "-p"],
  goOn: (sessionId) => `gemini --yolo --skip-trust --resume ${sessionId} -p "Go on."`,
  addTools: (name, command) => `gemini mcp add ${name} ${command}`,
  hooks: settingsHooks({
    agent: "gemini",
    events: [
      "SessionStart",
      "BeforeAgent",
      "BeforeTool",
      "AfterTool",
      "AfterAgent",
      "PreCompress",
      "Notification",
      "SessionEnd"
    ],
    // In milliseconds.
    timeout: 5000,
    off: { keys: ["hooksConfig", "enabled"], value: false },
    ofUser: [".gemini", "settings.json"]
  }),
  owns: ([program]) => isGemini(program),
  parseCommand: parseGeminiCommand,
  takeApart: literalGemini,
  ofLaunch: geminiOfLaunch,
  layer: Gemini.layer
}
