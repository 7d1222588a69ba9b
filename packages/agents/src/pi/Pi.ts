import { Duration } from "effect"
import { saidPackage } from "../kit/agent/SaidPackage.ts"
import { identifiedBy } from "../kit/command/IdentifiedBy.ts"
import { isPi, literalPi, piMarks, piCommand, piOfLaunch } from "./PiCommand.ts"
import { piFlags } from "./PiFlags.ts"
import { makePiReader } from "./PiOutput.ts"
import { piSayings, piWords } from "./PiSayings.ts"

/**
 * pi as a kind of agent.
 *
 * @example
 * ```ts
 * import { Souffleur } from "@souffleur/embed"
 * import { pi } from "@souffleur/agents"
 *
 * // It needs bypassPermissions, which the settings of the project allow.
 * const souffleur = Souffleur.layerNode({ stateDir: "/var/lib/app/souffleur", agent: pi })
 * ```
 */
export const pi = saidPackage({
  title: "pi",
  program: "pi",
  npm: "@earendil-works/pi-coding-agent",
  is: isPi,
  folder: { variables: ["PI_CODING_AGENT_DIR"], inHome: ".pi/agent" },
  sessions: "sessions",
  loginFiles: ["auth.json"],
  // Measured with 0.87.1: an answer that breaks off is silent for 301 s, and then asked for again.
  stall: Duration.seconds(301),
  ends: { words: piWords },
  marks: piMarks,
  identity: identifiedBy("PI_SESSION_ID", "PI_CODING_AGENT"),
  refusedAsRoot: [],
  recordsDollars: true,
  projectFiles: [".pi", "AGENTS.md"],
  commitSetting: "pi runs what its own files say, and edits any file: it is launched with bypassPermissions alone",
  commitsFrom: "bypassPermissions",
  typed: ["-p"],
  goOn: (sessionId) => `pi --session ${sessionId} "Go on."`,
  addTools: (name, command) => `pi takes no server of tools: tell it to run ${command}, and leave out ${name}`,
  flags: piFlags,
  takeApart: literalPi,
  ofLaunch: piOfLaunch,
  dialect: (options) => ({
    // sessions/--FOLDER--/TIME_ID.jsonl
    depth: 1,
    sessionPath: /\/\d{4}-[\dTZ-]+_([A-Za-z0-9][\w.-]*)\.jsonl$/u,
    sayings: piSayings,
    isOther: (line) => /^\{"type":"(?:custom|label|model_change|session_info|usage)"/u.test(line),
    inPrintMode: (args) => args.includes("-p") || args.includes("--print"),
    // Measured with 0.87.1: it used no processor for 200 s of a tool that slept.
    idles: true,
    variable: "PI_SESSION_ID",
    outputReader: makePiReader,
    command: (order, sessionFile) => piCommand(options, order, sessionFile)
  })
})
