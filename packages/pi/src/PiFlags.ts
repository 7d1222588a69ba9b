import type { Permission } from "@souffleur/domain"
import { type FlagTable, printFlag, sessionFlag, wordSet } from "@souffleur/session"

/** The tools of `acceptEdits`. Any other tool, such as a shell, does what the user may do. */
export const editing = ["read", "edit", "write", "grep", "find", "ls"]

const listOf = (value: string) =>
  value
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "")

/** The newest list of tools among the user's flags; `undefined`: there is none, and pi offers its own. */
const listIn = (args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const at = args.findLastIndex((arg) => arg === "--tools" || arg === "-t")
  return at === -1 ? undefined : listOf(args[at + 1] ?? "")
}

/** The tools that the user's flags leave; `undefined`: all of pi. A list outranks `--no-tools`, wherever they are. */
const toolsIn = (args: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  listIn(args) ?? (args.some((arg) => arg === "--no-tools" || arg === "-nt") ? [] : undefined)

/** Returns the permission that the user's flags ask for. pi has a shell, unless a list of tools leaves it out. */
export const requestedBy = (args: ReadonlyArray<string>): Permission =>
  toolsIn(args)?.every((tool) => editing.includes(tool)) === true ? "acceptEdits" : "bypassPermissions"

/** Loads no program of the user's folder or of the project, where an edit may have put one. */
const unextended = ["--no-extensions", "--no-approve", "--tools"]

/**
 * Returns the flags that hold a launch below the ceiling. The last list counts, and a narrower list stays. A comma is a
 * list without a tool.
 */
export const limitsOf = (permission: Permission, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (permission === "bypassPermissions") return []
  const tools = (toolsIn(args) ?? editing).filter((tool) => editing.includes(tool))
  return [...unextended, tools.join(",") || ","]
}

/** Returns the flags that come before the ones of {@link limitsOf}, which are at the end. */
export const withoutLimits = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.length - unextended.length - 1
  return at >= 0 && unextended.every((flag, index) => args[at + index] === flag) ? args.slice(0, at) : args
}

/** The flags of `pi`. It reads no `--flag=value`. */
export const piFlags: FlagTable = {
  kept: {
    one: wordSet(
      "--provider --model --thinking --append-system-prompt --system-prompt --skill --prompt-template",
      "--tools -t --exclude-tools -xt --mode"
    ),
    none: wordSet(
      "--no-tools -nt --no-builtin-tools -nbt --no-extensions -ne --no-skills -ns --no-prompt-templates -np",
      "--no-context-files -nc --no-approve -na --offline --verbose"
    )
  },
  lifting: wordSet("--approve -a --extension -e"),
  means: new Map([
    ["--print", printFlag],
    ["-p", printFlag],
    ["--session-id", sessionFlag("Fresh")],
    ["--session", sessionFlag("Resume")]
  ]),
  ours: wordSet("--continue -c --export --fork --no-session --resume -r --session-dir"),
  against: (flag, value) =>
    flag === "--mode" && value !== "json" && value !== "text" ? "must be json or text" : undefined,
  inline: false
}
