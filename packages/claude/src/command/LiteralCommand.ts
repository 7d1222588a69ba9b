import { type AgentProgram, CommandRefused, type LiteralAgent } from "@souffleur/domain"
import { Option, Result } from "effect"
import { agentFlags, isFlag, objection, split, valuesOf } from "./AgentFlags.ts"
import { frontOf, isClaude } from "./CommandFront.ts"

/** Errands of the agent's program that hold no conversation: run as any other command. */
const errands = new Set([
  "agents",
  "auth",
  "config",
  "doctor",
  "install",
  "mcp",
  "plugin",
  "plugins",
  "setup-token",
  "update",
  "upgrade"
])

/** The user's own word for this one command: which tools there are, and which are allowed without asking. */
const ofTools = new Set(["--allowedTools", "--allowed-tools", "--tools"])

/**
 * How many words are the agent's program; 0: it is no agent that is known. One that is named behind what is not
 * understood is refused.
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
 * Takes a literal command apart where it runs an agent that is known: Claude Code by its name or its package, or the
 * configured agent command. `None`: any other command. What would make it another session than the one that is watched,
 * or a flag that nobody can tell from a prompt, is refused; permission modes are taken as asked for, and clamped by who
 * launches.
 */
export const literalAgent = (
  words: ReadonlyArray<string>,
  configured: AgentProgram
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  const front = agentWords(words, configured)
  if (Result.isFailure(front)) return refused(`the command ${front.failure}`)
  const length = front.success
  if (length === 0 || errands.has(words[length] ?? "")) return Result.succeed(Option.none())
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
    const [flag, inline] = split(word)
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
      const why = ofTools.has(flag) ? undefined : objection(flag)
      if (why !== undefined) return refused(`${flag} ${why}: leave it out`)
      const rest = words.slice(at + 1)
      if (!agentFlags.has(flag) && inline === undefined && rest.length > 0 && !isFlag(rest[0]))
        return refused(
          `nobody here knows whether ${flag} takes a value: write ${flag}=VALUE, and the prompt behind a --`
        )
      const values = valuesOf(flag, inline, rest)
      if (typeof values === "string") return refused(`${flag} ${values}`)
      kept.push(word, ...values)
      at += values.length
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
  const at = args.findIndex(
    (word, at) => (word === "--session-id" || word === "--resume") && args[at + 1] === sessionId
  )
  return at === -1 ? Option.none() : Option.some({ program, args: args.slice(0, at) })
}
