import type { Permission } from "@souffleur/domain"
import type { ModelFlags } from "../kit/command/ChosenModel.ts"
import { ceilingFlag, permissionFlag, promptFlag, sessionFlag } from "../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"

/**
 * Loads no settings of the project: no hooks, servers of tools, extensions or rules that allow a tool. An edit may have
 * put them there.
 */
const safe = "--safe-mode"
/** The first flag of a launch behind the user's own. */
export const mode = "--approval-mode"
const modes: Readonly<Record<Permission, string>> = { acceptEdits: "auto-edit", bypassPermissions: "yolo" }

/** Returns the flags that hold a launch below the ceiling. The user's own come first. */
export const qwenLimitsOf = (permission: Permission, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  mode,
  modes[permission],
  ...(permission === "bypassPermissions" || args.includes(safe) ? [] : [safe])
]
/** The flag by which a headless launch is known: its prompt is on standard input. */
export const qwenHeadless = ["--input-format", "text"]

/** It has no flag for effort. */
export const qwenModelFlags: ModelFlags = { model: ["--model", "-m"] }

/** The flags of `qwen`. */
export const qwenFlags: FlagTable = {
  kept: {
    one: wordSet(
      "--model -m --auth-type --openai-base-url --proxy --system-prompt --append-system-prompt --output-style",
      "--output-format -o --max-session-turns --max-wall-time --max-tool-calls --max-subagent-depth --exclude-tools"
    ),
    none: wordSet(`${safe} --include-partial-messages --bare --screen-reader --debug -d`)
  },
  caps: { "--max-session-turns": "turns", "--max-tool-calls": "calls", "--max-wall-time": "time" },
  lifting: wordSet(
    "--add-dir --allowed-mcp-server-names --allowed-tools --core-tools --extensions -e --include-directories",
    "--insecure --mcp-config"
  ),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--prompt-interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [mode, ceilingFlag(modes, "must be auto-edit or yolo: no other can be kept when Qwen Code is launched again")],
    ["--yolo", permissionFlag("bypassPermissions")],
    ["-y", permissionFlag("bypassPermissions")]
  ]),
  ours: wordSet(
    "--acp --channel --chat-recording --continue -c --fork-session --input-file --input-format --json-fd --json-file",
    "--worktree"
  ),
  inline: true
}
