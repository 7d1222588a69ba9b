import type { ModelFlags } from "../../kit/command/ChosenModel.ts"
import { ceilingFlag, permissionFlag, printFlag, sessionFlag } from "../../kit/command/FlagMeanings.ts"
import type { FlagTable } from "../../kit/command/FlagTable.ts"
import { wordSet } from "../../kit/command/WordSet.ts"

/** It passes over an effort that it does not know. */
export const claudeModelFlags: ModelFlags = {
  model: ["--model"],
  effort: { words: (effort) => ["--effort", effort], levels: ["low", "medium", "high", "xhigh", "max"] }
}

/** The flags of a launch for its session. */
export const [fresh, resumed] = ["--session-id", "--resume"] as const

const kept = {
  one: wordSet(
    "--model --fallback-model --system-prompt --system-prompt-file --append-system-prompt --append-system-prompt-file",
    "--output-format --setting-sources --max-turns --max-budget-usd --json-schema --effort --name -n --debug-file",
    "--autocompact"
  ),
  many: wordSet("--disallowedTools --disallowed-tools --add-dir --mcp-config --betas --file"),
  maybe: wordSet("--debug -d"),
  none: wordSet(
    "--verbose --ide --strict-mcp-config --chrome --no-chrome --disable-slash-commands --include-partial-messages",
    "--include-hook-events --replay-user-messages --bare --brief --restricted --safe-mode --ax-screen-reader",
    "--forward-subagent-text --exclude-dynamic-system-prompt-sections"
  )
} satisfies FlagTable["kept"]

const lifting = wordSet(
  "--permission-mode --dangerously-skip-permissions",
  "--allow-dangerously-skip-permissions --permission-prompt-tool --permission-prompts",
  // A settings file or agent definition may hold a permission mode of its own. A plugin may hold hooks that approve.
  "--settings --managed-settings --agent --agents --plugin-dir --plugin-url"
)
/** Rules that allow a tool without asking, and the list of tools. */
const ofTools = wordSet("--allowedTools --allowed-tools --tools")

/**
 * Flags of Claude Code that a user may choose for every launch. Any other flag is unknown, and refused: about a hundred
 * are hidden from its help (spec: claude-code#flags).
 */
export const claudeFlags: FlagTable = {
  kept,
  dashed: wordSet("--system-prompt --append-system-prompt"),
  caps: { "--max-budget-usd": "dollars", "--max-turns": "turns" },
  capVariables: { CLAUDE_CODE_MAX_TURNS: "turns" },
  lifting: wordSet(...ofTools, ...lifting),
  means: new Map([
    ["-p", printFlag],
    ["--print", printFlag],
    [fresh, sessionFlag("Fresh")],
    [resumed, sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    [
      "--permission-mode",
      ceilingFlag(
        { acceptEdits: "acceptEdits", bypassPermissions: "bypassPermissions" },
        "must be acceptEdits or bypassPermissions: no other can be kept when the agent is launched again"
      )
    ],
    ["--dangerously-skip-permissions", permissionFlag("bypassPermissions")]
  ]),
  ours: wordSet(
    // The prompt of a launch is one text on standard input.
    "--input-format",
    "--continue -c --fork-session --from-pr --no-session-persistence --background --bg --cloud --desktop --environment",
    "--remote --remote-control --teleport --tmux --worktree -w"
  ),
  inline: true,
  waits: true
}

/** The flags of a literal command. The user may set the tools for this one command. */
export const literalFlags: FlagTable = {
  ...claudeFlags,
  kept: { ...kept, many: wordSet(...kept.many, ...ofTools) },
  lifting
}
