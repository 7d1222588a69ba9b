import type { AgentPackage } from "@souffleur/process"
import { editing } from "./PiFlags.ts"
import * as Pi from "./Pi.ts"
import { identity, isPi, literalPi, marks, parsePiCommand, piOfLaunch } from "./PiCommand.ts"

/**
 * pi as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { pi } from "@souffleur/pi"
 *
 * // Its list of tools is its ceiling: without one, a run asks for bypassPermissions.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: pi })
 * ```
 */
export const pi: AgentPackage = {
  title: "pi",
  program: "pi",
  folder: { variables: ["PI_CODING_AGENT_DIR"], inHome: ".pi/agent" },
  sessions: "sessions",
  stall: Pi.stall,
  marks,
  identity,
  refusedAsRoot: [],
  editsAnywhere: true,
  recordsDollars: true,
  commitSetting: "with acceptEdits, pi has no shell, and so it commits nothing: its shell needs bypassPermissions",
  commandOfLess: `pi --tools ${editing.join(",")} -p PROMPT`,
  commitsFrom: "bypassPermissions",
  typed: ["-p"],
  goOn: (sessionId) => `pi --session ${sessionId} "Go on."`,
  addTools: (name, command) => `pi takes no server of tools: tell it to run ${command}, and leave out ${name}`,
  owns: ([program]) => isPi(program),
  parseCommand: parsePiCommand,
  takeApart: literalPi,
  ofLaunch: piOfLaunch,
  layer: Pi.layer
}
