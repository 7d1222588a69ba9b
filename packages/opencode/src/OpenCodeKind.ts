import type { AgentPackage } from "@souffleur/process"
import * as OpenCode from "./OpenCode.ts"
import {
  identity,
  isOpenCode,
  literalOpenCode,
  marks,
  openCodeOfLaunch,
  parseOpenCodeCommand
} from "./OpenCodeCommand.ts"

/**
 * OpenCode as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { openCode } from "@souffleur/opencode"
 *
 * // It needs bypassPermissions, which the settings of the project allow.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: openCode })
 * ```
 */
export const openCode: AgentPackage = {
  title: "OpenCode",
  program: "opencode",
  // Its own folder is in that of the user's data.
  folder: { variables: ["XDG_DATA_HOME"], inHome: ".local/share" },
  sessions: "opencode",
  stall: OpenCode.stall,
  marks,
  identity,
  refusedAsRoot: [],
  recordsDollars: true,
  commitSetting: "OpenCode runs with bypassPermissions alone, and commits with its shell",
  commitsFrom: "bypassPermissions",
  typed: ["run", "--auto"],
  goOn: (sessionId) => `opencode run --auto --session ${sessionId} "Go on."`,
  addTools: (name, command) => `opencode mcp add ${name} -- ${command}`,
  owns: ([program]) => isOpenCode(program),
  parseCommand: parseOpenCodeCommand,
  takeApart: literalOpenCode,
  ofLaunch: openCodeOfLaunch,
  layer: OpenCode.layer
}
