import type { TurnState } from "../evidence/Signs.ts"

/** Why a turn failed. */
export type FailedReason = Extract<TurnState, { readonly _tag: "Failed" }>["reason"]

/**
 * What a word of an agent means at the end of a turn (spec: reasons). `ended`: its last word. `asks`: the agent asks
 * the model again. `cut`: the answer was broken off, and a launch continues it. `status`: the status of HTTP beside the
 * word decides.
 */
export type EndWord = FailedReason | "ended" | "asks" | "cut" | "status"

/** Every word by which an agent ends a turn, and the exit codes that say more than its records do. */
export interface EndWords {
  readonly words: Readonly<Record<string, EndWord>>
  readonly exits?: Readonly<Record<number, FailedReason>>
}
