import { Option, Result, Schema } from "effect"
import { type AgentProgram, isClaude, objection } from "./AgentProgram.ts"

/** A literal command of a known agent that souffleur cannot run as it stands (exit 2). `why` says what to write instead. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", { why: Schema.String }) {}

/** `claude --model opus -p "do it"`, taken apart: what a launch sets itself, and what stays for every launch of its watch. */
export interface LiteralAgent {
  /** The program, and the flags that are the user's own choice. */
  readonly agentCommand: AgentProgram
  /** `undefined`: none was named. */
  readonly session: { readonly _tag: "Fresh" | "Resume"; readonly sessionId: string } | undefined
  readonly print: boolean
  readonly requested: "acceptEdits" | "bypassPermissions"
  /** Empty: there is none. */
  readonly prompt: string
}

/** What may stand before the agent: it runs the program that is named behind it. */
const runners = new Set(["node", "bun", "deno", "env", "npx", "bunx", "pnpm", "pnpx", "npm", "yarn"])
const between = /^-|=|^(?:exec|dlx|x|run)$/u
/** Errands of the agent's program that hold no conversation: run as any other command. */
const errands = new Set(["agents", "auth", "config", "doctor", "install", "mcp", "plugin", "plugins", "setup-token", "update", "upgrade"])

/** How many words are the agent's program; 0: it is no agent that is known. */
const agentWords = (words: ReadonlyArray<string>, { args, program }: AgentProgram): number => {
  const [first = ""] = words
  const configured = [program, ...args]
  if (configured.every((word, at) => words[at] === word)) return configured.length
  if (isClaude(first)) return 1
  if (!runners.has(first.slice(first.lastIndexOf("/") + 1))) return 0
  let at = 1
  while (at < words.length && !isClaude(words[at]!) && between.test(words[at]!)) at += 1
  const found = at
  while (at < words.length && isClaude(words[at]!)) at += 1
  return at === found ? 0 : at
}

/** What stands behind a flag: one value, every word up to the next flag, a value or none, or nothing. */
const values: Readonly<Record<string, "one" | "many" | "maybe" | "none">> = Object.fromEntries(
  (
    [
      ["one", "--model --fallback-model --system-prompt --system-prompt-file --append-system-prompt --append-system-prompt-file"],
      [
        "one",
        "--output-format --input-format --setting-sources --max-turns --max-budget-usd --json-schema --effort --name -n --debug-file"
      ],
      ["many", "--allowedTools --allowed-tools --disallowedTools --disallowed-tools --tools --add-dir --mcp-config --betas --file"],
      ["maybe", "--debug -d"],
      ["none", "--verbose --ide --strict-mcp-config --mcp-debug --chrome --no-chrome --disable-slash-commands"],
      ["none", "--include-partial-messages --include-hook-events --replay-user-messages --bare --brief"]
    ] as const
  ).flatMap(([takes, flags]) => flags.split(" ").map((flag) => [flag, takes] as const))
)

const isFlag = (word: string | undefined): boolean => word !== undefined && word.length > 1 && word.startsWith("-")

/**
 * Takes a literal command apart where it runs an agent that is known: Claude Code by its name or its package, or the configured
 * agent command. `None`: any other command. What would make it another session than the one that is watched, or a flag that nobody
 * can tell from a prompt, is refused; permission modes are taken as asked for, and clamped by who launches.
 */
export const literalAgent = (
  words: ReadonlyArray<string>,
  configured: AgentProgram
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const length = agentWords(words, configured)
  if (length === 0 || errands.has(words[length] ?? "")) return Result.succeed(Option.none())
  const refused = (why: string) => Result.fail(new CommandRefused({ why }))
  const kept: Array<string> = []
  const prompts: Array<string> = []
  let [print, session, requested]: [boolean, LiteralAgent["session"], LiteralAgent["requested"]] = [false, undefined, "acceptEdits"]

  for (let at = length; at < words.length; at++) {
    const word = words[at]!
    if (word === "--") {
      prompts.push(...words.slice(at + 1))
      break
    }
    if (!isFlag(word)) {
      prompts.push(word)
      continue
    }
    const [flag = word, inline] =
      word.startsWith("--") && word.includes("=") ? [word.split("=", 1)[0], word.slice(word.indexOf("=") + 1)] : [word]
    const value = () => inline ?? (words[at + 1] === "--" || isFlag(words[at + 1]) ? undefined : words[++at])
    if (flag === "-p" || flag === "--print") print = true
    else if (flag === "--session-id" || flag === "--resume" || flag === "-r") {
      const sessionId = value()
      if (sessionId === undefined) return refused(`${flag} must name a session, so that it can be watched`)
      if (session !== undefined) return refused("the command names a session twice")
      session = { _tag: flag === "--session-id" ? "Fresh" : "Resume", sessionId }
    } else if (flag === "--permission-mode") {
      const mode = value()
      if (mode !== "acceptEdits" && mode !== "bypassPermissions")
        return refused(`--permission-mode must be acceptEdits or bypassPermissions: no other can be kept when the agent is launched again`)
      requested = mode
    } else if (flag === "--dangerously-skip-permissions") requested = "bypassPermissions"
    else {
      const why = flag === "--allowedTools" || flag === "--allowed-tools" ? undefined : objection(flag)
      if (why !== undefined) return refused(`${flag} ${why}: leave it out`)
      const takes = inline === undefined ? values[flag] : "none"
      const rest = words.slice(at + 1)
      const free = rest.findIndex(isFlag)
      const upToFlag = free === -1 ? rest.length : free
      if (takes === undefined && upToFlag > 0)
        return refused(`nobody here knows whether ${flag} takes a value: write ${flag}=VALUE, and the prompt behind a --`)
      const taken = { one: Math.min(1, rest.length), many: upToFlag, maybe: Math.min(1, upToFlag), none: 0 }[takes ?? "none"]
      kept.push(word, ...rest.slice(0, taken))
      at += taken
    }
  }
  if (prompts.length > 1) return refused("the command has more than one prompt: quote it")
  const agentCommand = { program: words[0]!, args: [...words.slice(1, length), ...kept] }
  return Result.succeed(Option.some({ agentCommand, session, print, requested, prompt: prompts[0] ?? "" }))
}

/** The agent command that a launch of ours was made with: what stands before the session that it names. */
export const agentOfLaunch = (
  { args, program }: { readonly program: string; readonly args: ReadonlyArray<string> },
  sessionId: string
): Option.Option<AgentProgram> => {
  const at = args.findIndex((word, at) => (word === "--session-id" || word === "--resume") && args[at + 1] === sessionId)
  return at === -1 ? Option.none() : Option.some({ program, args: args.slice(0, at) })
}
