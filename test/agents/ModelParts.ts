import { Effect } from "effect"
import { rehearsal } from "./AgentLab.ts"
import type { Answer, Asked } from "./ModelTalk.ts"

/** Checks with a tool after a recovery, and says then that all is complete. */
export const checks = ({ toolResult }: Asked): Answer =>
  toolResult?.includes("checked") === true
    ? { text: "All is complete." }
    : { shell: "echo checked > proof; echo checked" }
/** Returns whether the agent was brought back. */
export const isBack = ({ known }: Asked) => known.includes("Hand-off ")
/** Is in the middle of a tool until it is brought back. */
export const rehearses = (asked: Asked): Effect.Effect<Answer> =>
  Effect.succeed(isBack(asked) ? checks(asked) : { text: "I rehearse.", shell: rehearsal })
