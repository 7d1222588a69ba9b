import { Duration, Path } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { makeStreamJsonReader } from "../kit/agent/StreamJson.ts"
import { identifiedBy } from "../kit/command/IdentifiedBy.ts"
import { commandBefore } from "../kit/command/OwnLaunch.ts"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import { linesBelow } from "../kit/lines/LinesBelow.ts"
import { longestSet } from "../kit/settings/SetLimits.ts"
import {
  qwenCompactPrompt,
  qwenInPrintMode,
  isQwen,
  qwenLimitVariables,
  literalQwen,
  qwenMarks,
  qwenCommand
} from "./QwenCommand.ts"
import { mode, qwenFlags } from "./QwenFlags.ts"
import { qwenSayings } from "./QwenSayings.ts"

/**
 * Qwen Code as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { qwen } from "@souffleur/agents"
 *
 * // It edits files. For its shell, the settings of the project allow bypassPermissions.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: qwen })
 * ```
 */
export const qwen = saidPackage({
  title: "Qwen Code",
  program: "qwen",
  npm: "@qwen-code/qwen-code",
  is: isQwen,
  folder: { variables: ["QWEN_HOME"], inHome: ".qwen" },
  sessions: "projects",
  loginFiles: ["oauth_creds.json"],
  // Measured with 0.24.4: a retry waits for 300 s at most.
  stall: Duration.seconds(301),
  ends: { words: {}, exits: { 53: "cap", 55: "cap" } },
  marks: qwenMarks,
  identity: identifiedBy("QWEN_CODE_SESSION_ID", "QWEN_CODE"),
  refusedAsRoot: [],
  editsAnywhere: true,
  recordsDollars: false,
  projectFiles: [".qwen", "QWEN.md"],
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
  flags: qwenFlags,
  takeApart: literalQwen,
  ofLaunch: commandBefore(mode),
  dialect: (options) => ({
    // projects/FOLDER/chats/ID.jsonl
    depth: 2,
    sessionPath: /\/chats\/([A-Za-z0-9][A-Za-z0-9-]*)\.jsonl$/u,
    sayings: qwenSayings,
    // projects/FOLDER/subagents/ID/agent-ID.jsonl
    subagents: ({ path, sessionId }) =>
      Path.Path.use(({ dirname, join }) => linesBelow(join(dirname(dirname(path)), "subagents", sessionId))),
    inPrintMode: qwenInPrintMode,
    // Measured with 0.24.4: 10 ms of processor in 20 s of a tool that slept.
    idles: true,
    variable: "QWEN_CODE_SESSION_ID",
    ownTimes: (project) =>
      longestSet({
        files: [options.agentDir, ...(project === "" ? [] : [`${project}/.qwen`])].map((at) => `${at}/settings.json`),
        keys: ["timeout", "streamIdleTimeoutMs"],
        values: qwenLimitVariables.map((name) => options.environment[name])
      }),
    compactPrompt: qwenCompactPrompt,
    outputReader: makeStreamJsonReader,
    command: (order, sessionFile) => qwenCommand(options, order, sessionFile)
  })
})
