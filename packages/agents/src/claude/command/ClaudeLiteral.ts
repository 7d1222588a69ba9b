import type { AgentKind } from "@souffleur/domain"
import { Result } from "effect"
import type { WordRefused } from "../../kit/command/AgentWords.ts"
import { baseName, startsPrograms } from "../../kit/command/CommandFront.ts"
import { readLiteral } from "../../kit/command/OnePrompt.ts"
import { withoutCeiling } from "../../kit/command/WithoutCeiling.ts"
import { wordSet } from "../../kit/command/WordSet.ts"
import { claudeFlags, literalFlags } from "./ClaudeFlags.ts"

/** Recognises Claude Code's program, by its name or within its package. */
export const isClaude = (word = ""): boolean =>
  /(?:^|\/)claude(?:\.exe)?$|(?:^|\/)@anthropic-ai\/claude-code(?:[/@]|$)/u.test(word)

/** Subcommands of Claude Code without a conversation: they run as any other command. */
const errands = wordSet(
  "auth auto-mode config doctor import install kill logs mcp plugin plugins purge rm setup-token stop update upgrade"
)
/** Subcommands that hold conversations. Any other first word is a prompt. */
const conversing = wordSet("agents attach gateway remote-control respawn ultrareview")

/**
 * Takes a command of Claude Code apart. Permission modes are returned as asked for, and the launch clamps them. A flag
 * that cannot be told from a prompt is refused.
 */
export const literalClaude: AgentKind["takeApart"] = (command) => {
  const [, first = ""] = command
  if (errands.has(first)) return Result.succeedNone
  if (conversing.has(first)) return withoutCeiling(`claude ${first}`, "claude -p PROMPT")
  return readLiteral(literalFlags, command, () => undefined)
}

/** Returns whether an argument is a flag that a launch sets, or that lifts its ceiling, also shortened. */
const isOurs = (word: string): boolean => {
  const name = word.split("=", 1)[0]!.toLowerCase()
  const { lifting, means, ours } = claudeFlags
  return [...lifting, ...means.keys(), ...ours].some((flag) =>
    flag.startsWith("--") ? name.length > 2 && flag.toLowerCase().startsWith(name) : flag === word
  )
}

const objectionTo = (word: string, program: string): string | undefined => {
  if (word === "--") return "ends the flags, and would make a prompt of the permission flag that follows"
  if (isOurs(word)) return "carries a flag that a launch sets itself, or that can lift the permission ceiling"
  // A parser may take each letter for a flag, or the rest for a value.
  if (/^-[^-]./u.test(word)) return "joins short flags, or one and its value: write each as a word"
  return isClaude(word) || startsPrograms(word) || /\s-/u.test(word)
    ? `may be a command of its own, and what ${baseName(program)} makes of it is not understood: write a program of your own that does it`
    : undefined
}

/**
 * Judges a program that stands for Claude Code: its arguments must hold nothing that is forbidden, and start no other
 * program.
 */
export const otherThanClaude = (words: ReadonlyArray<string>, length: number): WordRefused | undefined => {
  for (const [at, word] of words.entries()) {
    const why = word.includes("\0")
      ? "holds a NUL"
      : /permission-?mode|skip-?permissions|permission-?prompt/iu.test(word)
        ? "carries a permission flag"
        : at < length
          ? undefined
          : objectionTo(word, words[length - 1]!)
    if (why !== undefined) return { at, why }
  }
  return undefined
}
