import { digestOf, freshHex } from "@souffleur/domain"
import type { Effect } from "effect"

/**
 * Words that belong to one launch each. A verdict with its word is the agent's own, and no text that it read and
 * repeats. A word is in the prompt and nowhere else. The log has its digest: a later conductor recognizes the word by
 * it, and no reader learns the word.
 */
export interface LaunchWords {
  /** Makes a word that was never given before: 80 random bits, in hex. */
  readonly fresh: Effect.Effect<string>
  /** SHA-256 of a word, in hex. */
  readonly digest: (word: string) => Effect.Effect<string>
}

/** Makes the words that prove a verdict to be of its launch. */
export const launchWords: LaunchWords = { fresh: freshHex(10), digest: digestOf }
