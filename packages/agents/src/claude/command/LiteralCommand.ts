import { type AgentProgram, CommandRefused, type LiteralAgent } from "@souffleur/domain"
import { dashedPrompt, isFlag, splitFlag } from "@souffleur/process"
import { Option, Result } from "effect"
import { withoutCeiling } from "../../kit/command/WithoutCeiling.ts"
import { wordSet } from "../../kit/command/WordSet.ts"
import { objection, unknown, valuesOf } from "./AgentFlags.ts"
import { frontOf, isClaude } from "./CommandFront.ts"

/** Subcommands of Claude Code without a conversation: they run as any other command. */
const errands = wordSet(
  "auth auto-mode config doctor import install kill logs mcp plugin plugins purge rm setup-token stop update upgrade"
)
/** Subcommands that hold conversations. Any other first word is a prompt. */
const conversing = wordSet("agents attach gateway remote-control respawn ultrareview")

/**
 * Flags for tools, which the user may set for this one command. They name the list of tools, and tools allowed without
 * asking.
 */
const ofTools = wordSet("--allowedTools --allowed-tools --tools")

/**
 * Counts the words of the agent's program; 0: it is no known agent. Refuses a known agent behind words that are not
 * understood.
 */
const agentWords = (words: ReadonlyArray<string>, { args, program }: AgentProgram): Result.Result<number, string> => {
  const configured = [program, ...args]
  if (configured.every((word, at) => words[at] === word)) return Result.succeed(configured.length)
  const front = frontOf(words)
  if (Result.isSuccess(front)) return Result.succeed(front.success.claude ? front.success.length : 0)
  const named = words.some((word) => isClaude(word.split(/\s/u, 1)[0]!))
  return named && !front.failure.shell ? Result.fail(front.failure.problem) : Result.succeed(0)
}

/**
 * Parses a literal command that runs a known agent. A known agent is Claude Code by its name or package, or the
 * configured agent command. `None`: it is any other command.
 * Refuses a command for another session than the watched one. Refuses a command with a flag that cannot be told from a
 * prompt. Permission modes are returned as asked for, and the launch clamps them.
 */
export const literalAgent = (
  words: ReadonlyArray<string>,
  configured: AgentProgram
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  const front = agentWords(words, configured)
  if (Result.isFailure(front)) return refused(`the command ${front.failure}`)
  const length = front.success
  const first = words[length] ?? ""
  if (length === 0 || errands.has(first)) return Result.succeed(Option.none())
  if (conversing.has(first)) return withoutCeiling(`claude ${first}`, "claude -p PROMPT")
  const kept: Array<string> = []
  const prompts: Array<string> = []
  let [print, session, requested]: [boolean, LiteralAgent["session"], LiteralAgent["requested"]] = [
    false,
    undefined,
    "acceptEdits"
  ]

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
    const dashed = dashedPrompt(word)
    if (dashed !== undefined) return refused(dashed)
    const [flag, inline] = splitFlag(word)
    const value = () => inline ?? (words[at + 1] === "--" || isFlag(words[at + 1]) ? undefined : words[++at])
    const alone = flag === "-p" || flag === "--print" || flag === "--dangerously-skip-permissions"
    if (alone && inline !== undefined) return refused(`${flag} takes no value: leave it out`)
    if (flag === "-p" || flag === "--print") print = true
    else if (flag === "--session-id" || flag === "--resume" || flag === "-r") {
      const sessionId = value()
      if (sessionId === undefined) return refused(`${flag} must name a session, so that it can be watched`)
      if (session !== undefined) return refused("the command names a session twice")
      session = { _tag: flag === "--session-id" ? "Fresh" : "Resume", sessionId }
    } else if (flag === "--permission-mode") {
      const mode = value()
      if (mode !== "acceptEdits" && mode !== "bypassPermissions")
        return refused(
          `--permission-mode must be acceptEdits or bypassPermissions: no other can be kept when the agent is launched again`
        )
      requested = mode
    } else if (flag === "--dangerously-skip-permissions") requested = "bypassPermissions"
    else {
      const why = ofTools.has(flag) ? undefined : (objection(flag) ?? unknown(flag))
      if (why !== undefined) return refused(`${flag} ${why}: leave it out`)
      const values = valuesOf(flag, inline, words.slice(at + 1))
      if (typeof values === "string") return refused(`${flag} ${values}`)
      kept.push(word, ...values)
      at += values.length
    }
  }
  if (prompts.length > 1) return refused("the command has more than one prompt: quote it")
  const agentCommand = { program: words[0]!, args: [...words.slice(1, length), ...kept] }
  return Result.succeed(Option.some({ agentCommand, session, print, requested, prompt: prompts[0] ?? "" }))
}

/** Returns the agent command of one of our launches: the words before its session. */
export const agentOfLaunch = (
  { args, program }: { readonly program: string; readonly args: ReadonlyArray<string> },
  sessionId: string
): Option.Option<AgentProgram> => {
  const at = args.findIndex(
    (word, at) => (word === "--session-id" || word === "--resume") && args[at + 1] === sessionId
  )
  return at === -1 ? Option.none() : Option.some({ program, args: args.slice(0, at) })
}
