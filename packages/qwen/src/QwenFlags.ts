import type { Permission } from "@souffleur/domain"
import { type FlagMeaning, type FlagTable, promptFlag, sessionFlag } from "@souffleur/session"

/**
 * Loads no settings of the project: no hooks, servers of tools, extensions or rules that allow a tool. An edit may have
 * put them there.
 */
const safe = "--safe-mode"
const mode = "--approval-mode"
const modes: Readonly<Record<Permission, string>> = { acceptEdits: "auto-edit", bypassPermissions: "yolo" }

/** Returns the flags that hold a launch below the ceiling. Those of the user come first. */
export const limitsOf = (permission: Permission, args: ReadonlyArray<string>): ReadonlyArray<string> => [
  mode,
  modes[permission],
  ...(permission === "bypassPermissions" || args.includes(safe) ? [] : [safe])
]
/** Returns the flags before those of {@link limitsOf}. */
export const withoutLimits = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.indexOf(mode)
  return at === -1 ? args : args.slice(0, at)
}

const approval: FlagMeaning = {
  takes: "one",
  read: (value) => {
    const requested = (["acceptEdits", "bypassPermissions"] as const).find((one) => modes[one] === value)
    return requested === undefined
      ? "must be auto-edit or yolo: no other can be kept when Qwen Code is launched again"
      : { requested }
  }
}
const yolo: FlagMeaning = { takes: "none", read: () => ({ requested: "bypassPermissions" }) }

/** The flag by which a headless launch is known: its prompt is on standard input. */
export const headless = ["--input-format", "text"] as const

/** The flags of `qwen`. */
export const qwenFlags: FlagTable = {
  kept: new Map([
    ["--model", "one"],
    ["-m", "one"],
    ["--auth-type", "one"],
    ["--openai-base-url", "one"],
    ["--proxy", "one"],
    ["--system-prompt", "one"],
    ["--append-system-prompt", "one"],
    ["--output-style", "one"],
    ["--output-format", "one"],
    ["-o", "one"],
    ["--max-session-turns", "one"],
    ["--max-wall-time", "one"],
    ["--max-tool-calls", "one"],
    ["--max-subagent-depth", "one"],
    ["--exclude-tools", "one"],
    ["--include-partial-messages", "none"],
    ["--bare", "none"],
    [safe, "none"],
    ["--screen-reader", "none"],
    ["--debug", "none"],
    ["-d", "none"]
  ]),
  lifting: new Set([
    "--add-dir",
    "--allowed-mcp-server-names",
    "--allowed-tools",
    "--core-tools",
    "--extensions",
    "-e",
    "--include-directories",
    "--insecure",
    "--mcp-config"
  ]),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--prompt-interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [mode, approval],
    ["--yolo", yolo],
    ["-y", yolo]
  ]),
  ours: new Set([
    "--acp",
    "--channel",
    "--chat-recording",
    "--continue",
    "-c",
    "--fork-session",
    "--input-file",
    "--input-format",
    "--json-fd",
    "--json-file",
    "--worktree"
  ]),
  inline: true
}
