import { Errands } from "@souffleur/domain"
import { type AgentOptions, type AgentPackage, TrustedFiles } from "@souffleur/process"
import { Duration, Effect, Layer, Path } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { inHead } from "../kit/lines/Head.ts"
import {
  openCodeIdentity,
  openCodeInPrintMode,
  isOpenCode,
  isRun,
  literalOpenCode,
  openCodeMarks,
  openCodeCommand,
  openCodeOfLaunch
} from "./OpenCodeCommand.ts"
import { asksOpenCodeRecords, namesAgent, openCodeFlags } from "./OpenCodeFlags.ts"
import { makeOpenCodeReader, sessionNamed } from "./OpenCodeOutput.ts"
import { openCodeMode, openCodeSayings, openCodeWords } from "./OpenCodeSayings.ts"
import { sessionsIn } from "./OpenCodeSessions.ts"
import { withSessionRows } from "./SessionRows.ts"

const databaseOf = ({ agentDir }: AgentOptions): string => `${agentDir}/opencode/opencode.db`

const described = saidPackage({
  title: "OpenCode",
  program: "opencode",
  npm: "opencode-ai",
  is: isOpenCode,
  verb: isRun,
  // Its own folder is in the user's data folder.
  folder: { variables: ["XDG_DATA_HOME"], inHome: ".local/share" },
  sessions: "opencode",
  loginFiles: ["opencode/auth.json"],
  // Measured with 1.18.33: an answer that breaks off is silent for 300 s, and then asked for again.
  stall: Duration.seconds(301),
  ends: { words: openCodeWords },
  marks: openCodeMarks,
  identity: openCodeIdentity,
  refusedAsRoot: [],
  recordsDollars: true,
  projectFiles: ["opencode.json", "opencode.jsonc", ".opencode", "AGENTS.md"],
  commitSetting: "OpenCode runs with bypassPermissions alone, and commits with its shell",
  commitsFrom: "bypassPermissions",
  typed: ["run", "--auto"],
  goOn: (sessionId) => `opencode run --auto --session ${sessionId} "Go on."`,
  addTools: (name, command) => `opencode mcp add ${name} -- ${command}`,
  flags: openCodeFlags,
  takeApart: literalOpenCode,
  ofLaunch: openCodeOfLaunch,
  dialect: (options) => {
    const { idsLike, running, subagents } = sessionsIn(databaseOf(options))
    return {
      folder: databaseOf(options),
      depth: 0,
      sessionPath: /\/([^/]*)$/u,
      idsLike,
      sayings: openCodeSayings,
      // A user who names its agent has chosen it for every launch.
      ...(namesAgent(options.agentCommand.args) ? {} : { modes: () => openCodeMode }),
      repeatsCalls: true,
      subagents: ({ sessionId }) =>
        Path.Path.use(({ join }) =>
          Effect.map(subagents(sessionId), (ids) => ids.map((id) => join(databaseOf(options), id)))
        ),
      inPrintMode: openCodeInPrintMode,
      idles: true,
      variable: "OPENCODE_SESSION_ID",
      sessions: running,
      sessionIn: (output) => inHead(output, sessionNamed),
      outputReader: makeOpenCodeReader,
      addsFormat: !asksOpenCodeRecords(options.agentCommand.args),
      command: (order) => openCodeCommand(options, order)
    }
  }
})

/**
 * OpenCode as a kind of agent. Each launch is `opencode run`, which ends with its turn.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { openCode } from "@souffleur/agents"
 *
 * // It needs bypassPermissions, which the settings of the project allow.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: openCode })
 * ```
 */
export const openCode: AgentPackage = {
  ...described,
  layer: (options) =>
    Layer.provide(
      described.layer(options),
      Layer.effect(
        TrustedFiles,
        Effect.gen(function* () {
          return withSessionRows(yield* TrustedFiles, yield* Errands, databaseOf(options))
        })
      )
    )
}
