import type { Permission } from "@souffleur/domain"
import type { ModelFlags } from "../kit/command/ChosenModel.ts"
import { ceilingFlag, permissionFlag, promptFlag, sessionFlag } from "../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../kit/command/FlagTable.ts"
import { wordSet } from "../kit/command/WordSet.ts"

/**
 * Writes files, and runs nothing. To be allowed to write is to be allowed a shell whose output goes to a file. The
 * tools `task` and `lsp` start programs that files of the project name, without trust. To deny them prevents nothing.
 */
const editing = new Map([
  ["--allow-tool", "write"],
  ["--deny-tool", "shell"],
  ["--excluded-tools", "task,lsp"]
])
/** The flags of a launch that edits. */
export const editingFlags = Array.from(editing, ([flag, word]) => `${flag}=${word}`)
/** The flags of a launch that changes nothing. A denial outranks each allowance. */
export const lookingFlags = ["--deny-tool=write", ...editingFlags.slice(1)]
/** Lets it use every tool. */
export const everyTool = "--allow-all-tools"

/** Returns the flags that set the ceiling of a launch. */
export const copilotLimitsOf = (permission: Permission): ReadonlyArray<string> =>
  permission === "bypassPermissions" ? [everyTool] : editingFlags
/** The flag by which a headless launch is known: its prompt is on standard input. */
export const copilotHeadless = "--no-ask-user"

/** It begins with no other effort. */
export const copilotModelFlags: ModelFlags = {
  model: ["--model"],
  effort: {
    words: (effort) => ["--reasoning-effort", effort],
    levels: ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
  }
}

/** The flags of `copilot`. */
export const copilotFlags: FlagTable = {
  kept: {
    one: wordSet(
      "--model --reasoning-effort --context --output-format --stream --log-level --max-ai-credits",
      "--max-autopilot-continues --disable-mcp-server"
    ),
    none: wordSet(
      "--disable-builtin-mcps --disallow-temp-dir --no-auto-update --no-color --no-custom-instructions --screen-reader",
      "--silent -s"
    )
  },
  caps: { "--max-ai-credits": "credits" },
  lifting: wordSet(
    "--add-dir --additional-mcp-config --agent --allow-all --allow-all-paths --allow-all-urls --allow-url",
    "--assisted-approval --enable-mcp-server --experimental --extension-sdk-path --plugin-dir --trust-folder --yolo"
  ),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [everyTool, permissionFlag("bypassPermissions")],
    // A user's own list is one of those that a launch writes, or it could not be kept.
    ...Array.from(editing, ([flag, word]) => [flag, ceilingFlag({ acceptEdits: word }, `must be ${word}`)] as const)
  ]),
  ours: wordSet(`--acp -C --connect --continue --name -n ${copilotHeadless} --remote --share --worktree`),
  inline: true
}
