import type { AgentPackage } from "@souffleur/process"
import { layerSaidAgent } from "@souffleur/session"
import { Duration } from "effect"
import { piCommand, runsPi } from "./PiCommand.ts"
import { makeOutputReader } from "./PiOutput.ts"
import { piSayings } from "./PiSayings.ts"

/** The name of a session file: its time, then its id. */
const form = /^\d{4}-[\dTZ-]+_([A-Za-z0-9][\w.-]*)\.jsonl$/u

/** Measured with 0.87.1: an answer that breaks off is silent for 301 s, and then asked for again. */
export const stall = Duration.seconds(301)

/** pi as an agent. */
export const layer: AgentPackage["layer"] = (options) =>
  layerSaidAgent({
    name: "pi",
    title: "pi",
    // sessions/--FOLDER--/TIME_ID.jsonl
    folder: `${options.agentDir}/sessions`,
    depth: 1,
    sessionIdOf: (path) => form.exec(path.slice(path.lastIndexOf("/") + 1))?.[1] ?? "",
    sayings: piSayings,
    isOther: (line) => /^\{"type":"(?:custom|label|model_change|session_info|usage)"/u.test(line),
    runs: runsPi,
    inPrintMode: (args) => args.includes("-p") || args.includes("--print"),
    // Measured with 0.87.1: it used no processor for 200 s of a tool that slept.
    idles: true,
    stall,
    variable: "PI_SESSION_ID",
    outputReader: makeOutputReader,
    command: (order, sessionFile) => piCommand(options, order, sessionFile)
  })
