import type { AgentPackage } from "@souffleur/process"
import { layerSaidAgent, makeStreamJsonReader } from "@souffleur/session"
import { Duration } from "effect"
import { compactPrompt, inPrintMode, qwenCommand, runsQwen } from "./QwenCommand.ts"
import { qwenSayings } from "./QwenSayings.ts"

/** The path of a session file: its folder, then its id. */
const form = /\/chats\/([A-Za-z0-9][A-Za-z0-9-]*)\.jsonl$/u

/** Measured with 0.24.4: a retry waits for 300 s at most. */
export const stall = Duration.seconds(301)

/** Qwen Code as an agent. */
export const layer: AgentPackage["layer"] = (options) =>
  layerSaidAgent({
    name: "qwen",
    title: "Qwen Code",
    // projects/FOLDER/chats/ID.jsonl
    folder: `${options.agentDir}/projects`,
    depth: 2,
    sessionIdOf: (path) => form.exec(path)?.[1] ?? "",
    sayings: qwenSayings,
    runs: runsQwen,
    inPrintMode,
    // Measured with 0.24.4: 10 ms of processor in 20 s of a tool that slept.
    idles: true,
    stall,
    variable: "QWEN_CODE_SESSION_ID",
    compactPrompt,
    outputReader: makeStreamJsonReader,
    command: (order, sessionFile) => qwenCommand(options, order, sessionFile)
  })
