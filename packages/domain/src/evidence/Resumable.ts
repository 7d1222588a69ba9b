import { count } from "../describe/Words.ts"
import type { SessionSigns } from "./Signs.ts"

/** The session of a dead Conductor, as it was found. `signs`: `undefined` where its file cannot be read. */
export interface FoundSession {
  readonly signs: SessionSigns | undefined
  readonly bytes: number
}

/** The share of the model's window that may be in use. The agent needs the rest to work in. */
const roomFor = 0.9
/** Bytes of a file for a token at least. A file has much besides the conversation. */
const bytesPerToken = 3

/**
 * Says why a session is not resumed in place. `undefined`: its file is sound, and its context is not full. `threshold`
 * is the most tokens in use, as for an export (spec: behaviour#resume).
 */
export const unresumable = ({ bytes, signs }: FoundSession, threshold: number): string | undefined => {
  if (signs === undefined) return "its session file cannot be read"
  const { context, resumable = true, turn } = signs
  if (!resumable) return "it has no conversation yet, and its agent resumes no such session"
  if (turn === undefined) return "its session file does not tell the state of its turn"
  if (turn._tag === "Failed" && turn.reason === "prompt-too-long") return "its conversation no longer fits the model"
  const limit = Math.min(threshold, Math.floor((context?.window ?? Infinity) * roomFor))
  if (context === undefined)
    return bytes / bytesPerToken > limit
      ? `the tokens of its context are not known, and its file has ${count(bytes)} bytes`
      : undefined
  return context.tokens > limit
    ? `its context is full: ${count(context.tokens)} tokens are in use, and the limit is ${count(limit)}`
    : undefined
}
