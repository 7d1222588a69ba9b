import type { AgentPackage } from "@souffleur/process"
import { settingsHooks } from "@souffleur/session"
import { Effect, Path } from "effect"
import * as Codex from "./Codex.ts"
import { codexOfLaunch, identity, literalCodex, marks, parseCodexCommand } from "./command/CodexCommand.ts"
import { isCodex } from "./command/CodexVerb.ts"
import { hooksFile, unapprovedHooks } from "./command/HookTrust.ts"

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
 * Codex as a kind of agent.
 *
 * @example
 * ```ts
 * import { claudeCode } from "@souffleur/claude"
 * import { codex } from "@souffleur/codex"
 * import { Souffleur } from "@souffleur/embed"
 * import { anyAgent } from "@souffleur/process"
 *
 * // A command goes to the agent that owns its words: this one runs Claude Code as well as Codex.
 * const souffleur = Souffleur.layerNode({
 *   stateDir: "/var/lib/app/souffleur",
 *   agent: anyAgent(claudeCode, codex)
 * })
 * ```
 */
export const codex: AgentPackage = {
  title: "Codex",
  program: "codex",
  folder: { variables: ["CODEX_HOME"], inHome: ".codex" },
  sessions: "sessions",
  stall: Codex.stall,
  marks,
  identity,
  refusedAsRoot: [],
  recordsDollars: false,
  commitSetting:
    "with acceptEdits, Codex works in its sandbox workspace-write, in which git commit fails: .git is read-only there",
  commitsFrom: "bypassPermissions",
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
  owns: ([program]) => isCodex(program),
  parseCommand: parseCodexCommand,
  takeApart: literalCodex,
  ofLaunch: codexOfLaunch,
  layer: Codex.layer
}
