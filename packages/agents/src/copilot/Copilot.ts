import { Duration } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { identifiedBy } from "../kit/command/IdentifiedBy.ts"
import { commandBefore } from "../kit/command/OwnLaunch.ts"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import {
  copilotCompactPrompt,
  copilotCommand,
  copilotInPrintMode,
  isCopilot,
  literalCopilot,
  copilotMarks
} from "./CopilotCommand.ts"
import { copilotFlags, editingFlags, everyTool, lookingFlags } from "./CopilotFlags.ts"
import { makeCopilotReader } from "./CopilotOutput.ts"
import { copilotMode, copilotSayings, copilotWords } from "./CopilotSayings.ts"

/**
 * Copilot CLI as a kind of agent.
 *
 * @example
 * ```ts
 * import { copilot } from "@souffleur/agents"
 * import { Souffleur } from "@souffleur/embed"
 *
 * // It edits files. For its shell, the settings of the project allow bypassPermissions.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: copilot })
 * ```
 */
export const copilot = saidPackage({
  title: "Copilot CLI",
  program: "copilot",
  npm: "@github/copilot",
  is: isCopilot,
  folder: { variables: ["COPILOT_HOME"], inHome: ".copilot" },
  sessions: "session-state",
  // Measured with 1.0.102: an answer that breaks off is silent for 701 s, and then asked for again.
  stall: Duration.seconds(702),
  ends: { words: copilotWords },
  marks: copilotMarks,
  identity: identifiedBy("COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"),
  refusedAsRoot: [],
  recordsDollars: false,
  projectFiles: [".github/copilot-instructions.md", ".github/instructions", "AGENTS.md"],
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
  flags: copilotFlags,
  takeApart: literalCopilot,
  ofLaunch: commandBefore(editingFlags[0]!, lookingFlags[0]!, everyTool),
  dialect: (options) => ({
    // session-state/ID/events.jsonl
    depth: 1,
    sessionPath: /\/([A-Za-z0-9][A-Za-z0-9-]*)\/events\.jsonl$/u,
    sayings: copilotSayings,
    modes: () => copilotMode,
    isOther: (line) => /^\{"type":"(?:system|session\.(?:resume|shutdown|usage)|tool\.execution_start)/u.test(line),
    inPrintMode: copilotInPrintMode,
    // Measured with 1.0.102: 140 ms of processor in 15 s of a tool that slept, by a timer.
    idles: true,
    variable: "COPILOT_AGENT_SESSION_ID",
    compactPrompt: copilotCompactPrompt,
    outputReader: makeCopilotReader,
    command: (order) => copilotCommand(options, order)
  })
})
