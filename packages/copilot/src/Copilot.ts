import type { AgentPackage } from "@souffleur/process"
import { layerSaidAgent } from "@souffleur/session"
import { Duration } from "effect"
import { compactPrompt, copilotCommand, inPrintMode, runsCopilot } from "./CopilotCommand.ts"
import { makeOutputReader } from "./CopilotOutput.ts"
import { copilotSayings } from "./CopilotSayings.ts"

/** The path of a session file: its folder has the id. */
const form = /\/([A-Za-z0-9][A-Za-z0-9-]*)\/events\.jsonl$/u

/** Measured with 1.0.102: an answer that breaks off is silent for 701 s, and then asked for again. */
export const stall = Duration.seconds(702)

/** Copilot CLI as an agent. */
export const layer: AgentPackage["layer"] = (options) =>
  layerSaidAgent({
    name: "copilot",
    title: "Copilot CLI",
    // session-state/ID/events.jsonl
    folder: `${options.agentDir}/session-state`,
    depth: 1,
    sessionIdOf: (path) => form.exec(path)?.[1] ?? "",
    sayings: copilotSayings,
    isOther: (line) => /^\{"type":"(?:system|session\.(?:resume|shutdown|usage)|tool\.execution_start)/u.test(line),
    runs: runsCopilot,
    inPrintMode,
    // Measured with 1.0.102: 140 ms of processor in 15 s of a tool that slept, by a timer.
    idles: true,
    stall,
    variable: "COPILOT_AGENT_SESSION_ID",
    compactPrompt,
    outputReader: makeOutputReader,
    command: (order) => copilotCommand(options, order)
  })
