import { Agent, type Variables } from "@souffleur/domain"
import { Context, Effect, Layer } from "effect"
import { makeSaidExport } from "../../../src/kit/said/SaidExport.ts"
import { makeTurnReading } from "../../../src/kit/said/SaidTurn.ts"
import { isOtherRecord } from "../../../src/claude/export/OtherRecord.ts"
import { sessionFiles } from "../../../src/claude/Folders.ts"
import { claudeSayings } from "../../../src/claude/session/ClaudeSayings.ts"
import { toolLimit } from "../../../src/claude/settings/OwnLimits.ts"
import { claudeCode } from "../../../src/claude/ClaudeCode.ts"
import { claudeFolder, running } from "./ClaudeFolder.ts"

/** Makes the port of a Claude Code whose folder this is. */
export const portIn = (agentDir: string, environment: Variables = {}) =>
  Layer.build(
    Layer.provide(claudeCode.layer({ agentDir, agentCommand: { program: "claude", args: [] }, environment }), running())
  ).pipe(Effect.map((context) => Context.get(context, Agent)))

/** Makes the port of a Claude Code with the session `s`. */
export const portOf = Effect.fnUntraced(function* (session: string) {
  const agentDir = yield* claudeFolder({ "projects/-p/s.jsonl": session })
  return { agent: yield* portIn(agentDir), file: `${agentDir}/projects/-p/s.jsonl` }
})

/** Exports a session file of Claude Code. */
export const exportTranscript = makeSaidExport({
  title: "Claude Code",
  sessionPath: sessionFiles.sessionPath,
  sayings: claudeSayings,
  isOther: isOtherRecord
})

/** Makes a reader of the end of a session of Claude Code. */
export const makeEnd = () => makeTurnReading(claudeSayings, { limitOf: toolLimit() })
