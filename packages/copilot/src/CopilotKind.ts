import type { AgentPackage } from "@souffleur/process"
import { untouchedHooks } from "@souffleur/session"
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
  typed: ["-p"],
  goOn: (sessionId) => `copilot --resume=${sessionId} -p "Go on."`,
  addTools: (name, command) => `copilot mcp add ${name} -- ${command}`,
  // Its hooks need a folder that it trusts, and its records say what they would.
  hooks: untouchedHooks({ ofProject: [".github", "hooks", "souffleur.json"], ofUser: ["settings.json"] }),
  owns: ([program]) => isCopilot(program),
  parseCommand: parseCopilotCommand,
  takeApart: literalCopilot,
  ofLaunch: copilotOfLaunch,
  layer: Copilot.layer
}
