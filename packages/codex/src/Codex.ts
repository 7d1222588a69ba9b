import type { AgentPackage } from "@souffleur/process"
import { inHead, layerSaidAgent } from "@souffleur/session"
import { Duration } from "effect"
import { inPrintMode, runsCodex } from "./command/CodexVerb.ts"
import { asksRecords } from "./command/CodexFlags.ts"
import { codexCommand, compactPrompt } from "./command/CodexLaunch.ts"
import { makeOutputReader, startedIn } from "./command/CodexOutput.ts"
import { rolloutSayings } from "./session/RolloutSayings.ts"
import { writersIn } from "./session/Writers.ts"

/** The name of a session file: its time, then its id. */
const form = /^rollout-[\dT-]{19}-([A-Za-z0-9][A-Za-z0-9_-]*)\.jsonl$/u

/** Measured with 0.169.0: an answer that breaks off is silent for 300 s, and then asked for again. */
export const stall = Duration.seconds(301)

/** Codex as an agent: `codex exec`, which ends with its turn, or an interactive Codex in a window. */
export const layer: AgentPackage["layer"] = (options) =>
  layerSaidAgent({
    name: "codex",
    title: "Codex",
    // sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl
    folder: `${options.agentDir}/sessions`,
    depth: 3,
    sessionIdOf: (path) => form.exec(path.slice(path.lastIndexOf("/") + 1))?.[1] ?? "",
    sayings: rolloutSayings,
    isOther: (line) =>
      /^\{"timestamp":"[^"]*","ordinal":\d+,"type":"(?:event_msg|token_usage_record|turn_context|world_state)"/u.test(
        line
      ),
    runs: runsCodex,
    idles: true,
    stall,
    variable: "CODEX_SESSION_ID",
    inPrintMode,
    sessions: (known) => writersIn(options.agentDir, known),
    compactPrompt,
    sessionIn: (output) => inHead(output, startedIn),
    outputReader: makeOutputReader,
    addsFormat: !asksRecords(options.agentCommand.args),
    command: (order) => codexCommand(options, order)
  })
