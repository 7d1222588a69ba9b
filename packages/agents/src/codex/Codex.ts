import { Duration, Effect, Path } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { identifiedBy } from "../kit/command/IdentifiedBy.ts"
import { settingsHooks } from "../kit/hooks/SettingsHooks.ts"
import { inHead } from "../kit/lines/Head.ts"
import { longestSet } from "../kit/settings/SetLimits.ts"
import { codexOfLaunch, literalCodex, codexMarks } from "./command/CodexCommand.ts"
import { asksCodexRecords, codexFlags, codexTakesForm } from "./command/CodexFlags.ts"
import { codexCommand, codexCompactPrompt } from "./command/CodexLaunch.ts"
import { makeCodexReader, startedIn } from "./command/CodexOutput.ts"
import { codexInPrintMode, isCodex, isExec, runsCodex } from "./command/CodexVerb.ts"
import { hooksFile, unapprovedHooks } from "./command/HookTrust.ts"
import { rolloutModes } from "./session/RolloutMode.ts"
import { codexWords, rolloutSayings, worksFor } from "./session/RolloutSayings.ts"
import { writersIn } from "./session/Writers.ts"

const hooks = settingsHooks({
  agent: "codex",
  events: [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStop",
    "Stop",
    "SessionEnd"
  ],
  timeout: 5,
  ofUser: [hooksFile],
  onlyIf: "Codex runs them once you approve each: type /hooks in codex"
})

/**
 * Codex as a kind of agent: `codex exec`, which ends with its turn, or an interactive Codex in a window.
 *
 * @example
 * ```ts
 * import { anyAgent, claudeCode, codex } from "@souffleur/agents"
 * import { Souffleur } from "@souffleur/embed"
 *
 * // A command goes to the agent that owns its words: this one runs Claude Code as well as Codex.
 * const souffleur = Souffleur.layerNode({
 *   stateDir: "/var/lib/app/souffleur",
 *   agent: anyAgent(claudeCode, codex)
 * })
 * ```
 */
export const codex = saidPackage({
  title: "Codex",
  program: "codex",
  npm: "@openai/codex",
  is: isCodex,
  verb: isExec,
  folder: { variables: ["CODEX_HOME"], inHome: ".codex" },
  sessions: "sessions",
  loginFiles: ["auth.json"],
  // Measured with 0.169.0: an answer that breaks off is silent for 300 s, and then asked for again.
  stall: Duration.seconds(301),
  ends: { words: codexWords },
  marks: codexMarks,
  identity: identifiedBy("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
  refusedAsRoot: [],
  recordsDollars: false,
  projectFiles: [".codex", "AGENTS.md", "AGENTS.override.md"],
  commitSetting:
    "with acceptEdits, Codex works in its sandbox workspace-write, in which git commit fails: .git is read-only there",
  commitsFrom: "bypassPermissions",
  login: {
    asks: ["login", "status"],
    reads: (said) =>
      /^Not logged in/mu.test(said) ? false : /^(?:Logged in|API key configured)/mu.test(said) ? true : undefined,
    todo: "codex login"
  },
  typed: ["exec"],
  goOn: (sessionId) => `codex exec resume ${sessionId} "Go on."`,
  addTools: (name, command) => `codex mcp add ${name} -- ${command}`,
  hooks: {
    ...hooks,
    status: (path) =>
      Effect.gen(function* () {
        const { dirname } = yield* Path.Path
        return { ...(yield* hooks.status(path)), unapproved: yield* unapprovedHooks(dirname(path)) }
      })
  },
  flags: codexFlags,
  takeApart: literalCodex,
  ofLaunch: codexOfLaunch,
  dialect: (options) => ({
    // sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl
    depth: 3,
    sessionPath: /\/rollout-[\dT-]{19}-([A-Za-z0-9][A-Za-z0-9_-]*)\.jsonl$/u,
    sayings: rolloutSayings,
    isOther: (line) =>
      /^\{"timestamp":"[^"]*","ordinal":\d+,"type":"(?:event_msg|token_usage_record|turn_context|world_state)"/u.test(
        line
      ),
    runs: runsCodex,
    idles: true,
    variable: "CODEX_SESSION_ID",
    worksFor,
    ownTimes: () => longestSet({ files: [`${options.agentDir}/config.toml`], keys: ["stream_idle_timeout_ms"] }),
    inPrintMode: codexInPrintMode,
    sessions: (known) => writersIn(options.agentDir, known),
    compactPrompt: codexCompactPrompt,
    modes: rolloutModes,
    sessionIn: (output) => inHead(output, startedIn),
    outputReader: makeCodexReader,
    addsFormat: !asksCodexRecords(options.agentCommand.args),
    ...(codexTakesForm(options.agentCommand.args) ? { answersInForm: "always" as const } : {}),
    command: (order) => codexCommand(options, order)
  })
})
