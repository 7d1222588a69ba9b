import { isFlag, splitFlag } from "@souffleur/process"

/** Values of a flag: one, every word up to the next flag, an optional value, or none. */
export type Takes = "one" | "many" | "maybe" | "none"

/**
 * Flags of Claude Code that a user may choose for every launch. Any other flag is unknown, and refused: about a hundred
 * are hidden from its help (spec: claude-code#flags).
 */
export const agentFlags: ReadonlyMap<string, Takes> = new Map(
  (
    [
      [
        "one",
        "--model --fallback-model --system-prompt --system-prompt-file --append-system-prompt --append-system-prompt-file"
      ],
      [
        "one",
        "--output-format --setting-sources --max-turns --max-budget-usd --json-schema --effort --name -n --debug-file --autocompact"
      ],
      [
        "many",
        "--allowedTools --allowed-tools --disallowedTools --disallowed-tools --tools --add-dir --mcp-config --betas --file"
      ],
      ["maybe", "--debug -d"],
      ["none", "--verbose --ide --strict-mcp-config --chrome --no-chrome --disable-slash-commands"],
      ["none", "--include-partial-messages --include-hook-events --replay-user-messages --bare --brief --restricted"],
      ["none", "--safe-mode --ax-screen-reader --forward-subagent-text --exclude-dynamic-system-prompt-sections"]
    ] as const
  ).flatMap(([takes, flags]) => flags.split(" ").map((flag) => [flag, takes] as const))
)

/** The names by which a user caps the use of one process. The variable counts where no flag does. */
export const capNames = {
  flags: { "--max-budget-usd": "dollars", "--max-turns": "turns" },
  variables: { CLAUDE_CODE_MAX_TURNS: "turns" }
} as const

/** Flags whose effect would exceed the permission ceiling, each in its own way (spec: behaviour#permission-ceiling). */
const lifting = [
  "--permission-mode",
  "--dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions",
  "--permission-prompt-tool",
  "--permission-prompts",
  // Rules that allow a tool without asking, and the list of tools.
  "--allowedTools",
  "--allowed-tools",
  "--tools",
  // A settings file or agent definition may hold a permission mode of its own. A plugin may hold hooks that approve.
  "--settings",
  "--managed-settings",
  "--agent",
  "--agents",
  "--plugin-dir",
  "--plugin-url"
]
/** Flags that would choose another session, or a process that is not the launch's own. */
const ours = [
  "--print",
  // The prompt of a launch is one text on standard input.
  "--input-format",
  "--resume",
  "--continue",
  "--session-id",
  "--fork-session",
  "--from-pr",
  "--no-session-persistence",
  "--background",
  "--bg",
  "--cloud",
  "--desktop",
  "--environment",
  "--remote",
  "--remote-control",
  "--teleport",
  "--tmux",
  "--worktree"
]
const shorts = new Set(["-p", "-r", "-c", "-w"])

/** Returns the flag's name without its value: `--Flag=value` is `--flag`. */
const flagName = (argument: string): string => argument.split("=", 1)[0]!.toLowerCase()

/** Returns whether an argument abbreviates one of these long flags, as a parser may accept. */
const abbreviates = (argument: string, flags: ReadonlyArray<string>): boolean => {
  const name = flagName(argument)
  return name.length > 2 && flags.some((flag) => flag.toLowerCase().startsWith(name))
}

/**
 * Explains why a word may occur nowhere in an agent command, since a flag may be inside another program's argument.
 * `undefined`: it may.
 */
export const objectionAnywhere = (argument: string): string | undefined => {
  if (argument.includes("\0")) return "holds a NUL"
  return /permission-?mode|skip-?permissions|permission-?prompt/i.test(argument)
    ? "carries a permission flag"
    : undefined
}

/** Explains why a word may not be one of the agent's own arguments. `undefined`: it may. */
export const objection = (argument: string): string | undefined => {
  const anywhere = objectionAnywhere(argument)
  if (anywhere !== undefined) return anywhere
  if (argument === "--") return "ends the flags, and would make a prompt of the permission flag that follows"
  if (!argument.startsWith("-")) return undefined
  if (abbreviates(argument, lifting)) return "carries a flag that can lift the permission ceiling"
  if (shorts.has(argument) || abbreviates(argument, ours))
    return "carries a flag that a launch sets itself, or that leads to another session"
  // A parser may take each letter for a flag, or the rest for a value.
  if (/^-[^-]./u.test(argument)) return "joins short flags, or one and its value: write each as a word"
  return undefined
}

/** Explains why an unknown flag may not be one of the agent's own arguments. `undefined`: it is known. */
export const unknown = (flag: string): string | undefined =>
  agentFlags.has(flag) ? undefined : "is an unknown flag: souffleur cannot tell what it allows"

/**
 * Counts the words that follow a known flag as its values, starting at the first candidate. Returns a reason instead
 * where one of them may be a flag itself.
 */
export const valuesOf = (
  flag: string,
  inline: string | undefined,
  rest: ReadonlyArray<string>
): ReadonlyArray<string> | string => {
  const takes = agentFlags.get(flag)
  if (inline !== undefined) return takes === "none" ? "takes no value" : []
  const free = rest.findIndex(isFlag)
  const upToFlag = free === -1 ? rest : rest.slice(0, free)
  switch (takes) {
    case "one":
      if (rest.length === 0 || objection(rest[0]!) !== undefined || agentFlags.has(splitFlag(rest[0]!)[0]))
        return `must have a value, which may be taken for a flag here: write ${flag}=VALUE`
      return rest.slice(0, 1)
    case "many":
      return upToFlag
    case "maybe":
      return upToFlag.slice(0, 1)
    default:
      return []
  }
}
