import type { AgentPackage } from "@souffleur/process"
import { layerSaidAgent, textOf } from "@souffleur/session"
import { Duration } from "effect"
import { geminiCommand, inPrintMode, runsGemini } from "./GeminiCommand.ts"
import { asksRecords } from "./GeminiFlags.ts"
import { makeOutputReader, makeOutputSayings } from "./GeminiOutput.ts"
import { geminiSayings, resumable } from "./GeminiSayings.ts"

/** The path of a session file: the minute of its start, then the beginning of its id. */
const form = /\/chats\/session-[\dT-]+-([A-Za-z0-9]+)\.jsonl$/u

/** Measured with 0.61.0: an answer that breaks off is silent for 301 s, and then asked for again. */
export const stall = Duration.seconds(302)

/** Gemini CLI as an agent. Each launch is headless, and ends with its turn. */
export const layer: AgentPackage["layer"] = (options) =>
  layerSaidAgent({
    name: "gemini",
    title: "Gemini CLI",
    // .gemini/tmp/FOLDER/chats/session-MINUTE-BEGINNING.jsonl
    folder: `${options.agentDir}/.gemini/tmp`,
    depth: 2,
    sessionIdOf: (path) => form.exec(path)?.[1] ?? "",
    // A resume in another minute makes another file of that id, which stays without a conversation.
    idIn: (record) => textOf(record["sessionId"]) || undefined,
    sayings: geminiSayings,
    resumable,
    // A tool that runs, the end of a turn and its failure are in no session file.
    outputSayings: makeOutputSayings,
    runs: runsGemini,
    inPrintMode,
    // Measured with 0.61.0: 10 ms of processor in 10 s of a tool that slept.
    idles: true,
    stall,
    variable: "GEMINI_SESSION_ID",
    outputReader: makeOutputReader,
    addsFormat: !asksRecords(options.agentCommand.args),
    command: (order, sessionFile) => geminiCommand(options, order, sessionFile)
  })
