import { Duration, Path } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { identifiedBy } from "../kit/command/IdentifiedBy.ts"
import { commandBefore } from "../kit/command/OwnLaunch.ts"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import { textOf } from "../kit/lines/JsonRecord.ts"
import { linesBelow } from "../kit/lines/LinesBelow.ts"
import { geminiCommand, geminiInPrintMode, isGemini, literalGemini, geminiMarks } from "./GeminiCommand.ts"
import { asksGeminiRecords, geminiFlags, launchFlags } from "./GeminiFlags.ts"
import { geminiWords, makeGeminiReader, makeOutputSayings } from "./GeminiOutput.ts"
import { geminiSayings, resumable } from "./GeminiSayings.ts"

/**
 * Gemini CLI as a kind of agent. Each launch is headless, and ends with its turn.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { gemini } from "@souffleur/agents"
 *
 * // It needs bypassPermissions, which the settings of the project allow.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: gemini })
 * ```
 */
export const gemini = saidPackage({
  title: "Gemini CLI",
  program: "gemini",
  npm: "@google/gemini-cli",
  is: isGemini,
  // Its variable names a home, in which its own folder is.
  folder: { variables: ["GEMINI_CLI_HOME"], inHome: "" },
  sessions: ".gemini/tmp",
  loginFiles: [".gemini/oauth_creds.json", ".gemini/gemini-credentials.json"],
  // Measured with 0.61.0: an answer that breaks off is silent for 301 s, and then asked for again.
  stall: Duration.seconds(302),
  ends: { words: geminiWords, exits: { 41: "login", 53: "cap" } },
  marks: geminiMarks,
  identity: identifiedBy("GEMINI_SESSION_ID", "GEMINI_CLI"),
  refusedAsRoot: [],
  recordsDollars: false,
  projectFiles: [".gemini", "GEMINI.md"],
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
  flags: geminiFlags,
  takeApart: literalGemini,
  ofLaunch: commandBefore(launchFlags[0]!),
  dialect: (options) => ({
    // .gemini/tmp/FOLDER/chats/session-MINUTE-BEGINNING.jsonl
    depth: 2,
    sessionPath: /\/chats\/session-[\dT-]+-([A-Za-z0-9]+)\.jsonl$/u,
    // A resume in another minute makes another file of that id, which stays without a conversation.
    idIn: (record) => textOf(record["sessionId"]) || undefined,
    sayings: geminiSayings,
    // Those of a session lie in a folder with its id, beside its file.
    subagents: ({ path, sessionId }) =>
      Path.Path.use(({ dirname, join }) => linesBelow(join(dirname(path), sessionId))),
    resumable,
    // A tool that runs, the end of a turn and its failure are in no session file.
    outputSayings: makeOutputSayings,
    inPrintMode: geminiInPrintMode,
    // Measured with 0.61.0: 10 ms of processor in 10 s of a tool that slept.
    idles: true,
    variable: "GEMINI_SESSION_ID",
    outputReader: makeGeminiReader,
    addsFormat: !asksGeminiRecords(options.agentCommand.args),
    command: (order, sessionFile) => geminiCommand(options, order, sessionFile)
  })
})
