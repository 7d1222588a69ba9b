import {
  AgentCommandRefused,
  type AgentProgram,
  CommandRefused,
  type LiteralAgent,
  type Permission,
  type Variables
} from "@souffleur/domain"
import { isFlag, splitFlag } from "@souffleur/process"
import { Option, Result, Schema } from "effect"
import { keptFlag } from "./CodexFlags.ts"

/** Holds if a word is Codex's program, by its name or in its package. */
export const isCodex = (word: string | undefined): boolean =>
  word !== undefined && /(?:^|\/)codex(?:\.exe)?$|(?:^|\/)@openai\/codex(?:[/@]|$)/u.test(word)

/** Holds if a command line is of a Codex that works through a turn and ends. */
export const runsCodex = (words: ReadonlyArray<string>): boolean => {
  const at = words.slice(0, 3).findIndex(isCodex)
  return at !== -1 && isExec(words[at + 1])
}

const sandboxes: Readonly<Record<Permission, string>> = {
  acceptEdits: "workspace-write",
  bypassPermissions: "danger-full-access"
}
/** Returns the sandbox of a launch. */
export const sandboxOf = (permission: Permission): string => sandboxes[permission]
const permissionOf = (sandbox: string | undefined): Permission | undefined =>
  sandbox === sandboxes.acceptEdits
    ? "acceptEdits"
    : sandbox === sandboxes.bypassPermissions
      ? "bypassPermissions"
      : undefined

const isExec = (word: string | undefined): boolean => word === "exec" || word === "e"
const JsonArray = Schema.fromJsonString(Schema.Array(Schema.String))

/** Reads `AGENT_COMMAND`. Refuses each argument that is not understood. */
export const parseCodexCommand = (text: string): Result.Result<AgentProgram, AgentCommandRefused> => {
  const refused = (problem: string) => Result.fail(new AgentCommandRefused({ problem }))
  const decoded = text.trim().startsWith("[") ? Schema.decodeUnknownOption(JsonArray)(text) : Option.some([text.trim()])
  if (Option.isNone(decoded)) return refused("the agent command is not a JSON array of strings")
  const [program = "", ...words] = decoded.value
  if (!isCodex(program)) return refused("the agent command does not begin with codex")
  const rest = isExec(words[0]) ? words.slice(1) : words
  const args: Array<string> = []
  for (let at = 0; at < rest.length; at++) {
    const kept = keptFlag(rest[at]!, rest.slice(at + 1))
    // The reason names only the position: an argument may hold a key.
    if (typeof kept === "string")
      return refused(`part ${decoded.value.length - rest.length + at + 1} of the agent command ${kept}`)
    args.push(...kept.words)
    at += kept.taken
  }
  return Result.succeed({ program, args })
}

/** Subcommands of Codex that hold no conversation of `exec`: they run as any other command. */
const isErrand = (word: string): boolean =>
  /^[a-z-]+$/u.test(word) && word !== "resume" && word !== "fork" && !isFlag(word)

/**
 * Parses a literal command that runs Codex. `None`: it is any other command, or an errand of Codex. Refuses an
 * interactive Codex, and each flag that lifts the ceiling or is not understood.
 */
export const literalCodex = (
  words: ReadonlyArray<string>
): Result.Result<Option.Option<LiteralAgent>, CommandRefused> => {
  const refused = (message: string) => Result.fail(new CommandRefused({ message }))
  const [program = "", verb, ...rest] = words
  if (!isCodex(program)) return Result.succeedNone
  if (!isExec(verb)) {
    return verb !== undefined && isErrand(verb)
      ? Result.succeedNone
      : refused(
          "an interactive Codex works in a daemon of its own, which outlives it: write codex exec -- PROMPT, with its flags behind exec"
        )
  }
  if (["fork", "help", "review"].includes(rest[0] ?? "")) return Result.succeedNone
  const args: Array<string> = []
  const prompts: Array<string> = []
  let [requested, resumes]: [Permission, boolean] = ["acceptEdits", false]
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    if (word === "--") {
      prompts.push(...rest.slice(at + 1))
      break
    }
    const [flag, inline] = splitFlag(word)
    if (word === "-") return refused("the prompt must be an argument: souffleur has no standard input for it")
    else if (!isFlag(word)) {
      if (word === "resume" && prompts.length === 0 && !resumes) resumes = true
      else prompts.push(word)
    } else if (flag === "--sandbox" || flag === "-s") {
      const permission = permissionOf(inline ?? rest[++at])
      if (permission === undefined)
        return refused(
          `${flag} must be workspace-write or danger-full-access: no other can be kept when Codex is launched again`
        )
      requested = permission
    } else if (flag === "--dangerously-bypass-approvals-and-sandbox" || flag === "--yolo")
      requested = "bypassPermissions"
    else if (flag !== "--json") {
      const kept = keptFlag(word, rest.slice(at + 1))
      if (typeof kept === "string") return refused(`${flag} ${kept}: leave it out`)
      args.push(...kept.words)
      at += kept.taken
    }
  }
  const [sessionId] = resumes ? prompts.splice(0, 1) : []
  if (resumes && sessionId === undefined) return refused("resume must name a session, so that it can be watched")
  if (prompts.length > 1) return refused("the command has more than one prompt: quote it")
  const session = sessionId === undefined ? undefined : { _tag: "Resume" as const, sessionId }
  return Result.succeed(
    Option.some({ agentCommand: { program, args }, session, print: true, requested, prompt: prompts[0] ?? "" })
  )
}

/** Returns the agent command of one of our launches: the words between `exec` and those that each launch sets. */
export const codexOfLaunch = ({ args, program }: AgentProgram): Option.Option<AgentProgram> => {
  const at = args.indexOf("--json")
  return isCodex(program) && isExec(args[0]) && at !== -1
    ? Option.some({ program, args: args.slice(1, at) })
    : Option.none()
}

/** Marks of a running session. They are never handed on. */
export const marks: ReadonlySet<string> = new Set([
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_CI",
  "CODEX_TOOL_CALL_ID",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED"
])

/** Identifies the session that runs a process with these variables. */
export const identity = (variables: Variables) => ({
  sessionId: variables["CODEX_SESSION_ID"] ?? "",
  pid: undefined,
  project: "",
  mark: ["CODEX_SESSION_ID", "CODEX_THREAD_ID"].find((name) => (variables[name] ?? "") !== "")
})
