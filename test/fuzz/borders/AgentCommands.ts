import { claudeCode } from "@souffleur/agents"
import { Option, Result } from "effect"
import { border, holds } from "../Border.ts"
import { plainWord, some, word } from "../Hostile.ts"
import type { Seed } from "../../simulation/Seed.ts"

/**
 * Flags that would let an agent do more without asking than its ceiling. Some have other spellings that a parser may
 * take.
 */
const lifting = [
  [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--permission-mode",
    "--permission-prompt-tool"
  ],
  ["--allowedTools", "--allowed-tools", "--settings", "--managed-settings", "--agents", "--agent", "--plugin-dir"]
].flat()
const spelt = (seed: Seed, flag: string): ReadonlyArray<string> => {
  const value = seed.pick(["bypassPermissions", "Bash(*)", "/tmp/x.json", "{}"])
  const name = seed.pick([flag, flag, flag.slice(0, Math.max(5, flag.length - seed.between(0, 6))), flag.toUpperCase()])
  return seed.pick([[`${name}=${value}`], [name, value], [name]])
}
const runners = ["env", "sh", "bash", "npx", "node", "sudo", "nice", "/usr/bin/env", "bunx", "xargs", "busybox"]
const harmless = [
  "--model",
  "opus",
  "--verbose",
  "--add-dir",
  "/tmp",
  "-S",
  "-c",
  "-lc",
  "--",
  "-x",
  "CLAUDE_CONFIG_DIR=/tmp/x"
]

/** Draws an agent command that lifts a permission, wrapped in any way. */
const wrapped = (seed: Seed) => {
  const flags = spelt(seed, seed.pick(lifting))
  const agent = seed.pick(["claude", "/usr/bin/claude", "./claude", "@anthropic-ai/claude-code"])
  const line = [agent, ...some(seed, 2, () => seed.pick(harmless)), ...flags].join(" ")
  const words = seed.pick<() => ReadonlyArray<string>>([
    () => [agent, ...some(seed, 3, () => seed.pick(harmless)), ...flags],
    () => [seed.pick(runners), ...some(seed, 2, () => seed.pick(harmless)), agent, ...flags],
    () => [seed.pick(["env", "/usr/bin/env"]), seed.pick(["-S", `-S${line}`, "--split-string"]), line],
    () => [seed.pick(["sh", "bash", "dash", "zsh"]), seed.pick(["-c", "-lc", "-ec"]), `${line} "$@"`, "x"]
  ])()
  return words
}

const any = (seed: Seed): ReadonlyArray<string> => [
  "claude",
  ...some(seed, 6, () =>
    seed.pick<() => string>([() => seed.pick(harmless), () => plainWord(seed), () => word(seed)])()
  )
]

/**
 * Returns whether the arguments of a command would lift a permission, as far as a reader can tell. The prompt is no
 * part of them.
 */
const lifts = (words: ReadonlyArray<string>): boolean =>
  words.some((word) =>
    lifting.some(
      (flag) =>
        word.toLowerCase().startsWith(flag.toLowerCase()) || word.toLowerCase().includes(` ${flag.toLowerCase()}`)
    )
  )

/** Checks that no command that lifts a permission passes. */
export const agentCommands = border("agent-commands", {
  share: 12,
  draw: (seed) => ({ bad: wrapped(seed), any: any(seed), text: word(seed) }),
  checks: {
    "a setting": ({ bad }) =>
      holds(Result.isFailure(claudeCode.parseCommand(JSON.stringify(bad))), "it is accepted", bad),
    "any setting": ({ any, text }) => {
      claudeCode.parseCommand(text)
      const parsed = claudeCode.parseCommand(JSON.stringify(any))
      holds(Result.isFailure(parsed) || !lifts(parsed.success.args), "it is accepted", any)
    },
    "a command of run": ({ any, bad }) => {
      for (const words of [bad, any]) {
        const taken = claudeCode.takeApart(words, { program: "claude", args: [] })
        if (Result.isFailure(taken) || Option.isNone(taken.success)) continue
        const { agentCommand, session } = taken.success.value
        // The user's own allowed tools are his word for every launch (docs/agent.md). Any other flag is clamped.
        const args = agentCommand.args.filter((word) => !/^--allowed-?tools/iu.test(word))
        holds(!lifts(args), "it keeps what lifts a permission", words)
        holds(session === undefined || typeof session.sessionId === "string", "a session that is none")
      }
    }
  }
})
