import type { Permission } from "@souffleur/domain"
import { type FlagMeaning, type FlagTable, promptFlag, sessionFlag } from "@souffleur/session"

/**
 * Writes files, and runs nothing. To be allowed to write is to be allowed a shell whose output goes to a file. The
 * tools `task` and `lsp` start programs that files of the project name, without trust. To deny them prevents nothing.
 */
const editing = ["--allow-tool=write", "--deny-tool=shell", "--excluded-tools=task,lsp"]
const everyTool = "--allow-all-tools"

/** Returns the flags that set the ceiling of a launch. */
export const limitsOf = (permission: Permission): ReadonlyArray<string> =>
  permission === "bypassPermissions" ? [everyTool] : editing
/** Returns the flags before those of {@link limitsOf}, which are the last. */
export const withoutLimits = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own =
    args.at(-1) === everyTool
      ? 1
      : editing.every((flag, at) => args.at(at - editing.length) === flag)
        ? editing.length
        : 0
  return args.slice(0, args.length - own)
}

/** A user's own list is one of those that a launch writes, or it could not be kept. */
const only = (flag: string, kept: string): FlagMeaning => ({
  takes: "one",
  read: (value) => (`${flag}=${value}` === kept ? { requested: "acceptEdits" } : `must be ${kept.split("=")[1]!}`)
})

/** The flag by which a headless launch is known: its prompt is on standard input. */
export const headless = "--no-ask-user"

/** The flags of `copilot`. */
export const copilotFlags: FlagTable = {
  kept: new Map([
    ["--model", "one"],
    ["--reasoning-effort", "one"],
    ["--context", "one"],
    ["--output-format", "one"],
    ["--stream", "one"],
    ["--log-level", "one"],
    ["--max-ai-credits", "one"],
    ["--max-autopilot-continues", "one"],
    ["--disable-mcp-server", "one"],
    ["--disable-builtin-mcps", "none"],
    ["--disallow-temp-dir", "none"],
    ["--no-auto-update", "none"],
    ["--no-color", "none"],
    ["--no-custom-instructions", "none"],
    ["--screen-reader", "none"],
    ["--silent", "none"],
    ["-s", "none"]
  ]),
  lifting: new Set([
    "--add-dir",
    "--additional-mcp-config",
    "--agent",
    "--allow-all",
    "--allow-all-paths",
    "--allow-all-urls",
    "--allow-url",
    "--assisted-approval",
    "--enable-mcp-server",
    "--experimental",
    "--extension-sdk-path",
    "--plugin-dir",
    "--trust-folder",
    "--yolo"
  ]),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [everyTool, { takes: "none", read: () => ({ requested: "bypassPermissions" }) }],
    ["--allow-tool", only("--allow-tool", editing[0]!)],
    ["--deny-tool", only("--deny-tool", editing[1]!)],
    ["--excluded-tools", only("--excluded-tools", editing[2]!)]
  ]),
  ours: new Set([
    "--acp",
    "-C",
    "--connect",
    "--continue",
    "--name",
    "-n",
    headless,
    "--remote",
    "--share",
    "--worktree"
  ]),
  inline: true
}
