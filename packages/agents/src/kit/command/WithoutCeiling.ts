import { CommandRefused } from "@souffleur/domain"
import { Result } from "effect"

/** Returns whether a word may be a subcommand, with neither a space nor a sign of a prompt. */
export const maySubcommand = (word: string): boolean => /^[a-z][a-z-]*$/u.test(word)

/**
 * Refuses a subcommand that is no known errand. It may hold a conversation, which a plain command would run without
 * the ceiling. `instead`: the words that a launch can limit.
 */
export const withoutCeiling = (subcommand: string, instead: string): Result.Result<never, CommandRefused> =>
  Result.fail(
    new CommandRefused({
      message: `souffleur cannot set the ceiling of ${subcommand}: write ${instead}, or run it without souffleur`
    })
  )
