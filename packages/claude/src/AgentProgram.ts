import { Result, Schema } from "effect"

/** The user's agent command: a program and its first arguments. */
export interface AgentProgram {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** A word that is Claude Code's program: by its name, or out of its package. */
export const isClaude = (word: string): boolean => /(?:^|\/)claude(?:\.exe)?$|(?:^|\/)@anthropic-ai\/claude-code(?:[/@]|$)/u.test(word)

/** An agent command that no launch may use (cli.md: exit 2). `why` is a sentence for a person. */
export class AgentCommandRefused extends Schema.TaggedError<AgentCommandRefused>()("AgentCommandRefused", {
  why: Schema.String
}) {}

/** Whose work would be above the permission ceiling, each in a way of its own (spec §2, Permission ceiling). */
const lifting = [
  "--permission-mode",
  "--dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions",
  "--permission-prompt-tool",
  "--permission-prompts",
  // Rules that allow a tool without asking.
  "--allowedTools",
  "--allowed-tools",
  // A settings file or agent definition may hold a permission mode of its own, a plugin hooks that approve.
  "--settings",
  "--managed-settings",
  "--agent",
  "--agents",
  "--plugin-dir",
  "--plugin-url"
]
/** Which would make it another session, or no process of ours, than the one that the launch is about. */
const ours = [
  "--print",
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

/** The flag's name, however it is written: `--Flag=value` is `--flag`. */
const nameOf = (argument: string): string => argument.split("=", 1)[0]!.toLowerCase()

/** A parser may take the beginning of a long flag for the flag. */
const abbreviates = (argument: string, flags: ReadonlyArray<string>): boolean => {
  const name = nameOf(argument)
  return name.length > 2 && flags.some((flag) => flag.toLowerCase().startsWith(name))
}

/** Why an argument may not stand in an agent command. */
export const objection = (argument: string): string | undefined => {
  if (argument.includes("\0")) return "holds a NUL"
  // Anywhere: a flag may stand within an argument for another program, such as `env -S` or a shell.
  if (/permission-?mode|skip-?permissions|permission-?prompt/i.test(argument)) return "carries a permission flag"
  if (argument === "--") return "ends the flags, and would make a prompt of the permission flag that follows"
  if (!argument.startsWith("-")) return undefined
  if (abbreviates(argument, lifting)) return "carries a flag that can lift the permission ceiling"
  if (shorts.has(argument) || abbreviates(argument, ours))
    return "carries a flag that a launch sets itself, or that leads to another session"
  return undefined
}

const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))

/**
 * A program, or a JSON array of program and first arguments. Refused when an argument could lift the permission ceiling,
 * choose another session, or be read as something else than it is: `--model opus` is fine, `--settings x` is not. What is
 * only a program may hold spaces, but no flags: those are told apart in an array alone.
 */
export const parseAgentCommand = (text: string): Result.Result<AgentProgram, AgentCommandRefused> => {
  const refused = (why: string) => Result.fail(new AgentCommandRefused({ why }))
  const trimmed = text.trim()
  if (trimmed === "") return refused("the agent command is empty")
  let command: ReadonlyArray<string> = [trimmed]
  if (trimmed.startsWith("[")) {
    const decoded = Schema.decodeUnknownResult(JsonArray)(trimmed)
    if (Result.isFailure(decoded)) return refused("the agent command is not a JSON array of strings")
    command = decoded.success
  } else if (/\s-/.test(trimmed)) {
    return refused('the agent command has arguments: write it as a JSON array, ["program", "argument"]')
  }
  const [program, ...args] = command
  if (program === undefined || program === "") return refused("the agent command names no program")
  if (program.startsWith("-")) return refused("the agent command begins with a flag")
  for (const [index, argument] of command.entries()) {
    const why = objection(argument)
    // Only its place: an argument may hold a key.
    if (why !== undefined) return refused(`part ${index + 1} of the agent command ${why}`)
  }
  return Result.succeed({ program, args })
}
