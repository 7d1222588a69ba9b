import { type FlagMeaning, type FlagTable, promptFlag, sessionFlag } from "@souffleur/session"

/**
 * Flags of each launch. In a folder that it does not trust, a headless Gemini CLI ends at once. It tells the end of its
 * turn in this output alone.
 */
export const launchFlags = ["--approval-mode", "yolo", "--skip-trust", "--output-format", "stream-json"] as const

const everything: FlagMeaning = { takes: "none", read: () => ({ requested: "bypassPermissions" }) }
const format: FlagMeaning = {
  takes: "one",
  read: (value) => (value === "stream-json" ? {} : "must be stream-json, in which each launch tells its end")
}
const approval: FlagMeaning = {
  takes: "one",
  read: (value) =>
    value === "yolo"
      ? { requested: "bypassPermissions" }
      : "must be yolo: below that, the settings of a folder that it may edit would lift it again"
}

/** The flags of `gemini`. */
export const geminiFlags: FlagTable = {
  kept: new Map([
    ["--model", "one"],
    ["-m", "one"],
    ["--screen-reader", "none"],
    ["--debug", "none"],
    ["-d", "none"]
  ]),
  lifting: new Set([
    "--admin-policy",
    "--allowed-mcp-server-names",
    "--allowed-tools",
    "--extensions",
    "-e",
    "--include-directories",
    "--policy",
    "--raw-output"
  ]),
  means: new Map([
    ["--prompt", promptFlag(true)],
    ["-p", promptFlag(true)],
    ["--prompt-interactive", promptFlag(false)],
    ["-i", promptFlag(false)],
    ["--session-id", sessionFlag("Fresh")],
    ["--resume", sessionFlag("Resume")],
    ["-r", sessionFlag("Resume")],
    ["--approval-mode", approval],
    ["--yolo", everything],
    ["-y", everything],
    ["--skip-trust", { takes: "none", read: () => ({}) }],
    ["--output-format", format],
    ["-o", format]
  ]),
  ours: new Set([
    "--acp",
    "--delete-session",
    "--experimental-acp",
    "--list-sessions",
    "--sandbox",
    "-s",
    "--session-file",
    "--worktree",
    "-w"
  ]),
  inline: true
}
